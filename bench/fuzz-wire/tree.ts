import type { Random } from "../random.ts";

export type Tree = { [key: string]: unknown };

/** One value inside a message, and where it hangs. */
export type Spot = { readonly holder: Tree; readonly key: string; readonly value: unknown };

/** Anywhere in the message; the outer fields are the likeliest. */
export function anySpot(message: Tree, random: Random): Spot {
  let holder = message;
  for (;;) {
    const keys = Object.keys(holder);
    const key = keys.length === 0 ? "empty" : random.pick(keys);
    const value = holder[key];
    if (!isTree(value) || Object.keys(value).length === 0 || random.oneIn(4)) return { holder, key, value };
    holder = value;
  }
}

/** The message itself or one of the objects in it. */
export function anyObject(message: Tree, random: Random): Tree {
  if (random.oneIn(3)) return message;
  const { holder } = anySpot(message, random);
  return Array.isArray(holder) ? message : holder;
}

/** Where the message speaks of threads, turns and items. */
export function paramsOf(message: Tree): Tree {
  const { params } = message;
  if (isTree(params) && !Array.isArray(params)) return params;
  const fresh: Tree = {};
  message["params"] = fresh;
  return fresh;
}

/** Arrays as well: their places are keys. */
const isTree = (value: unknown): value is Tree => typeof value === "object" && value !== null;
