import { createHash } from "node:crypto";

/** Chat completions servers refuse longer ids; ids projected from codex reach 65 characters. */
const longestId = 40;
const validName = /^[A-Za-z0-9_-]{1,64}$/;

/** A call id that every provider takes. A pure function, so call and result still belong together. */
export function wireId(id: string): string {
  return id.length > 0 && id.length <= longestId ? id : digested(id, longestId);
}

/** A tool name that every provider takes. */
export function wireName(name: string): string {
  return validName.test(name) ? name : digested(name, 64);
}

/** Finds the tool again that a model calls by its wire name. */
export function plainNames(names: Iterable<string>): (wire: string) => string {
  const plain = new Map([...names].map((name) => [wireName(name), name]));
  return (wire) => plain.get(wire) ?? wire;
}

function digested(text: string, length: number): string {
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 16);
  const readable = text.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, length - digest.length - 1);
  return `${readable}_${digest}`;
}
