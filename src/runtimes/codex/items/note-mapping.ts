import type { ItemId } from "../../../core/ids.ts";
import type { NoteItem } from "../../../core/items.ts";
import type { Json } from "../../../core/json.ts";
import { cutMiddle } from "../../../tools/cut-middle.ts";
import type { NoteSource } from "../wire/other-item.ts";

/** What codex did beside the conversation. Models are told of it, unless it is about the conversation itself. */
export const noteItem = (source: NoteSource, id: ItemId, mask: Mask): NoteItem => ({
  ...(source.type === "contextCompaction" ? note : doneNote)(id, mask(wordsOf(source))),
  ...(source.type === "unknown"
    ? { data: { type: source.name, keys: Object.keys(source.raw).slice(0, 20) } }
    : {}),
});

type Mask = (text: string) => string;

/** `text`: masked already. */
export const note = (id: ItemId, text: string, data?: Json): NoteItem => ({
  id,
  kind: "note",
  text: cutMiddle(text, longestNote),
  ...(data === undefined ? {} : { data }),
});

/** Of something that was done and has no other row. */
export const doneNote = (id: ItemId, text: string): NoteItem => ({ ...note(id, text), history: true });

/** Of a wait that nobody ended: how long it had lasted when it was given up. */
export const brokenWait = (id: ItemId, sleptMs: number, meantMs: number, why: string): NoteItem =>
  doneNote(id, `Waited ${secondsOf(Math.min(sleptMs, meantMs))} s of ${secondsOf(meantMs)} s: ${why}.`);

const secondsOf = (ms: number): number => Math.round(Math.max(0, ms) / 100) / 10;

const longestNote = 1500;

function wordsOf(source: NoteSource): string {
  switch (source.type) {
    case "plan":
      return `Plan:\n${source.text}`;
    case "hookPrompt":
      return `A hook added: ${source.texts.join("\n")}`;
    case "functionCallOutput":
      return `${source.name || "A tool"} returned: ${source.output}`;
    case "webSearch":
      return source.query === "" ? "Searched the web." : `Searched the web: ${source.query}`;
    case "imageView":
      return `Looked at the image ${source.path}`;
    case "imageGeneration":
      if (source.failed) return "An image could not be made.";
      return source.path === "" ? "Made an image." : `Made an image: ${source.path}`;
    case "sleep":
      return `Waited ${secondsOf(source.durationMs)} s.`;
    case "subAgentActivity":
      return `Sub-agent ${source.agent}: ${source.activity}`;
    case "enteredReviewMode":
      return `Review started: ${source.review}`;
    case "exitedReviewMode":
      return `Review ended: ${source.review}`;
    case "contextCompaction":
      return "Codex shortened its view of the conversation; nothing is missing here.";
    case "unknown":
      return `Codex reported an item of the kind "${source.name}", which this version does not know.`;
  }
}
