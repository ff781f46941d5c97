import type { Fields } from "../../../core/json.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Answered } from "./calls.ts";

/** `later`: it cannot be said now, and may be known when asked again. */
export type Looked<T> = { readonly value: T } | { readonly missing: "refused" | "later" };
export type Lookup<T> = (key: string) => Promise<Looked<T>>;

const most = 2000;
const keptMs = 60 * 60_000;

/** Asks once and remembers it for an hour. While Slack wants no more calls of this kind, nobody is asked. */
export function lookup<T>(
  clock: Clock,
  ask: (key: string) => Promise<Answered>,
  read: (answer: Fields) => T,
): Lookup<T> {
  const known = new Map<string, { readonly looked: Promise<Looked<T>>; readonly until: number }>();
  let heldUntil = 0;

  async function look(key: string): Promise<Looked<T>> {
    const answered = await ask(key);
    if ("answer" in answered) return { value: read(answered.answer) };
    const { failure } = answered;
    if (failure.kind === "held") heldUntil = clock.monotonic() + failure.ms;
    if (failure.kind === "refused") return { missing: "refused" };
    known.delete(key);
    return { missing: "later" };
  }

  return (key) => {
    const before = known.get(key);
    if (before !== undefined && clock.monotonic() < before.until) return before.looked;
    if (clock.monotonic() < heldUntil) return Promise.resolve({ missing: "later" });
    const looked = look(key);
    known.delete(key);
    known.set(key, { looked, until: clock.monotonic() + keptMs });
    dropOldest(known, most);
    return looked;
  };
}

/** Keeps a map or set from growing for ever: those that were put in first go. */
export function dropOldest(
  kept: { readonly size: number; keys(): Iterator<string>; delete(key: string): boolean },
  limit: number,
): void {
  while (kept.size > limit) kept.delete(kept.keys().next().value as string);
}
