import { isPlainObject } from "../core/json.ts";
import type { Store } from "../store/store.ts";

const key = "codex_drift";
const mostNames = 40;

/** Counts what codex said that this version does not know, for `doctor`. */
export async function noteDrift(store: Store, names: ReadonlyMap<string, number>): Promise<void> {
  const known: Record<string, number> = { ...(await knownDrift(store)) };
  for (const [name, times] of names) {
    if (name in known || Object.keys(known).length < mostNames) known[name] = (known[name] ?? 0) + times;
  }
  await store.meta.set(key, JSON.stringify(known));
}

export async function knownDrift(store: Store): Promise<Readonly<Record<string, number>>> {
  const text = await store.meta.get(key);
  const value: unknown = text === undefined ? {} : JSON.parse(text);
  return isPlainObject(value) ? (value as Record<string, number>) : {};
}
