import { Refusal } from "../../core/host.ts";
import { type Json, isPlainObject } from "../../core/json.ts";
import type { Redo } from "../index.ts";
import {
  type Entry,
  entriesOf,
  joinedLength,
  textsOf,
  unwritable,
  withAdded,
  withRemoved,
  withReplaced,
} from "./entries.ts";
import { type MemoryLimits, type MemoryTarget, isTooFull } from "./memory-limits.ts";

/** `entry`: the whole one that is meant. `first`: what the file begins with if it has to be made. */
export type MemoryChange =
  | {
      readonly action: "add";
      readonly target: MemoryTarget;
      readonly content: string;
      readonly first?: string;
    }
  | {
      readonly action: "replace";
      readonly target: MemoryTarget;
      readonly entry: string;
      readonly content: string;
    }
  | { readonly action: "remove"; readonly target: MemoryTarget; readonly entry: string };

/** What a file of memory is after a change. One that is there already changes nothing. */
export const redoMemory =
  (limits: MemoryLimits): Redo =>
  (asked, now) => {
    const change = memoryChange(asked);
    const why = now === undefined ? undefined : unwritable(now);
    if (why !== undefined) throw notWritable(why);
    if (change.action === "add" && textsOf(now).includes(change.content)) return now;
    const after = changed(change, now);
    const [texts, limit] = [textsOf(after), limits[change.target]];
    if (isTooFull(texts, textsOf(now), limit)) throw full(joinedLength(texts), limit);
    return after;
  };

function changed(change: MemoryChange, now: string | undefined): string {
  if (change.action === "add") return withAdded(now, change.content, change.first);
  const old = entryNamed(now, change.entry);
  const text = now ?? "";
  return change.action === "remove" ? withRemoved(text, old) : withReplaced(text, old, change.content);
}

function entryNamed(now: string | undefined, text: string): Entry {
  const found = entriesOf(now ?? "").entries.find((entry) => entry.text === text);
  if (found !== undefined) return found;
  throw new Refusal(
    "not_found",
    "The entry is no longer there: it has been changed or removed since.",
    "Look at the file as it is now.",
  );
}

/** Reads what a row says. */
function memoryChange(change: Json): MemoryChange {
  const { action, target, content, entry, first } = isPlainObject(change) ? change : {};
  const isTarget = target === "memory" || target === "user" || target === "project";
  if (isTarget && action === "add" && typeof content === "string")
    return { action, target, content, ...(typeof first === "string" ? { first } : {}) };
  if (isTarget && action === "replace" && typeof entry === "string" && typeof content === "string")
    return { action, target, entry, content };
  if (isTarget && action === "remove" && typeof entry === "string") return { action, target, entry };
  throw new Refusal("usage", "This change of memory cannot be done again.", "Make it by hand.");
}

const notWritable = (why: string): Refusal =>
  new Refusal(
    "config",
    `The file of memory was left as it is: ${why}, and a change would damage it.`,
    "Correct it in an editor.",
  );

const full = (size: number, limit: number): Refusal =>
  new Refusal(
    "quota",
    `The file of memory would have ${size} characters, and may have ${limit}.`,
    "Replace or remove something first.",
  );
