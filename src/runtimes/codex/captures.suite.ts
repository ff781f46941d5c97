import { readFileSync, readdirSync } from "node:fs";
import type { EndedEvent, TurnEvent } from "../../core/events.ts";
import type { Item } from "../../core/items.ts";
import type { Message } from "../../core/messages.ts";
import { project, startProjection } from "../../transcript/projector.ts";
import { type Replay, replay } from "./recording/replay.ts";

/** Recordings of the real codex, and what tests look at in them. */

const folder = new URL("../../../test/fixtures/codex/captures/", import.meta.url);

export const captureNames: readonly string[] = readdirSync(folder)
  .filter((name) => name.endsWith(".jsonl"))
  .map((name) => name.slice(0, -".jsonl".length));

export const captureLines = (name: string): readonly string[] =>
  readFileSync(new URL(`${name}.jsonl`, folder), "utf8")
    .split("\n")
    .filter((line) => line !== "");

export const replayed = (name: string): Replay => replay(captureLines(name));

/** The finished items of each turn. */
export const itemsIn = (name: string): readonly (readonly Item[])[] =>
  replayed(name).turns.map(({ events }) => itemsOf(events));

export const itemsOf = (events: readonly TurnEvent[]): readonly Item[] =>
  events.flatMap((event) => (event.type === "item" ? [event.item] : []));

export const endsOf = (events: readonly TurnEvent[]): readonly EndedEvent[] =>
  events.filter((event) => event.type === "ended");

/** What the transcript keeps of a turn. */
export function rowsOf(events: readonly TurnEvent[]): readonly Message[] {
  let state = startProjection();
  return events.flatMap((event) => {
    const [next, rows] = project(state, event);
    state = next;
    return rows;
  });
}
