import type { CallTitle } from "./call-title.ts";
import { type OutputTail, outputTail } from "./output-tail.ts";
import { type ProseChunks, proseChunks } from "./prose-chunks.ts";

/**
 * What a transcript is made of. A block is never changed: another one takes its place. So whoever has laid one out has
 * to do it again only for a new one.
 */
export type Block =
  | UserBlock
  | ProseBlock
  | CallBlock
  | { readonly kind: "note"; readonly text: string }
  | { readonly kind: "fault"; readonly message: string; readonly next: string }
  | { readonly kind: "reply"; readonly text: string; readonly command: string }
  | { readonly kind: "end"; readonly text: string; readonly warn: boolean };

/** `sending`: nobody has said yet where it stands among what others say. */
export type UserState = "sending" | "queued" | "steered" | "unconfirmed" | "set aside";

export type UserBlock = {
  readonly kind: "user";
  readonly text: string;
  readonly images: readonly string[];
  readonly state?: UserState;
};

export type ProseBlock = {
  readonly kind: "answer" | "commentary" | "thinking";
  readonly text: string;
  /** The same text, in pieces. Grows with it while the block is open. */
  readonly chunks: ProseChunks;
  readonly since: number;
  /** How long it took. Undefined: it is still written, or nobody knows. */
  readonly ms?: number;
  readonly isOpen: boolean;
};

export type CallBlock = CallTitle & {
  readonly kind: "call";
  readonly state: "running" | "ok" | "failed";
  /** The person's own command: they want to see what it prints. */
  readonly byPerson: boolean;
  readonly since: number;
  readonly ms?: number;
  /** `exit 2`, `SIGTERM`, `not finished`. */
  readonly ended?: string;
  readonly output: OutputTail;
  readonly diff?: string;
};

/** Shown of a call that runs. */
export const liveLines = 8;
/** Kept of a finished one, and shown when everything is. */
export const wholeLines = 2_000;

export function openProse(kind: ProseBlock["kind"], since: number): ProseBlock {
  return { kind, text: "", chunks: proseChunks(), since, isOpen: true };
}

export function withMore(block: ProseBlock, text: string): ProseBlock {
  block.chunks.push(text);
  return { ...block, text: block.text + text };
}

/** Keeps the chunks that were already laid out if the final text is what was streamed. */
export function finishedProse(block: ProseBlock, text: string): ProseBlock {
  const done = { ...block, isOpen: false };
  if (text === block.text) return done;
  const chunks = proseChunks();
  chunks.push(text);
  return { ...done, text, chunks };
}

export function wholeOutput(text: string): OutputTail {
  const output = outputTail(wholeLines);
  output.push(text);
  return output;
}
