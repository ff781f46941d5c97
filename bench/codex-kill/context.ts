import type { Kept } from "./kept-turns.ts";
import { journalOf } from "./journal.ts";
import type { Place } from "./place.ts";
import type { Seen } from "./seen.ts";
import { readSide } from "../../src/runtimes/codex/thread/turn-side.ts";

/** What was said before is in what the model is given for the last turn; words stand there once as a message. */
export function gapsInContext(place: Place, turns: readonly Kept[], seen: Seen): string[] {
  const context = contextOf(place, readSide(turns.at(-1)?.turn.side)?.thread ?? "");
  // A developer's note may say again what may or may not stand above it.
  const messages = context.filter((item) => item.role !== "developer");
  const times = (text: string): number => howOften(text, messages);
  const finished = new Set(seen.items.map(({ item }) => item));
  const items = turns.slice(0, -1).flatMap((turn) => turn.items.filter(({ id }) => finished.has(id)));
  const words = [
    ...turns.map((turn) => turn.words),
    ...items.flatMap((item) => (item.kind === "text" ? [item.text] : [])),
  ];
  const results = items.flatMap((item) => (item.kind === "call" ? [item.output.trim()] : []));
  return [
    ...[...words, ...results]
      .filter((text) => howOften(text, context) === 0)
      .map((text) => `lost: the model does not know "${text}"`),
    ...words
      .filter((text) => times(text) > 1)
      .map((text) => `doubled: the model was told "${text}" ${times(text)} times`),
  ];
}

function howOften(text: string, items: readonly ContextItem[]): number {
  const quoted = JSON.stringify(text).slice(1, -1);
  return items.filter((item) => JSON.stringify(item).includes(quoted)).length;
}

/** What the model was given for the last turn, or would be: each message and each result of a call. */
const contextOf = (place: Place, thread: string): readonly ContextItem[] =>
  (place.codex === "real" ? lastRequest(place) : threadLog(place, thread)).filter(
    (item) => item.type !== "function_call",
  );

type ContextItem = { readonly type?: string; readonly role?: string };

const lastRequest = ({ asked }: Place): readonly ContextItem[] =>
  (asked().at(-1) as { readonly input: readonly ContextItem[] } | undefined)?.input ?? [];

type LogRecord =
  | { readonly kind: "item"; readonly item: ContextItem }
  | { readonly kind: "inject"; readonly items: readonly ContextItem[] }
  | { readonly kind: "turn" | "thread" | "end" | "usage" };

/** The fake codex asks no model, but keeps what it would tell one. */
const threadLog = (place: Place, thread: string): readonly ContextItem[] =>
  journalOf(place, thread).flatMap((line) => {
    const record = JSON.parse(line) as LogRecord;
    if (record.kind === "item") return [record.item];
    return record.kind === "inject" ? record.items : [];
  });
