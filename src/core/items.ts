import type { ItemId, SessionId, TurnId } from "./ids.ts";
import type { Json } from "./json.ts";

/** One finished piece of a turn. `text`, `thinking` and `call` make history; a `note` only if it says so. */
export type Item = TextItem | ThinkingItem | CallItem | NoteItem;

export type TextItem = {
  readonly id: ItemId;
  readonly kind: "text";
  readonly text: string;
  /** Commentary is text beside tool calls: shown and kept, but not the answer. */
  readonly phase?: "commentary" | "answer";
};

export type ThinkingItem = {
  readonly id: ItemId;
  readonly kind: "thinking";
  readonly text: string;
  /** Opaque reasoning that only the route that made it can read back. */
  readonly sealed?: { readonly route: string; readonly data: Json };
};

export type CallItem = {
  readonly id: ItemId;
  readonly kind: "call";
  /** The id that ties the call to its result in history. Derived from `id`, never random. */
  readonly callId: string;
  readonly tool: string;
  readonly args: Json;
  readonly output: string;
  readonly ok: boolean;
  readonly exitCode?: number;
  readonly durationMs?: number;
  readonly diff?: string;
};

/** Name and arguments of a call: all that is known before it has run. */
export type CallHead = Pick<CallItem, "id" | "callId" | "tool" | "args">;

/**
 * A call that leaves something behind, with its place. It is kept before it starts, so that a crash cannot hide it.
 * `epoch`: by which its turn may write the session.
 */
export type BegunCall = CallHead & {
  readonly session: SessionId;
  readonly turn: TurnId;
  readonly epoch: number;
};

/** The output of a call that had begun when its turn was cut off. */
export const unknownOutcome =
  "[interrupted, outcome unknown] This call had begun, and nobody heard how it ended: it may have had its effect, part of it, or none. Look before it is done again.";

/** What a model reads of a call: an exit code other than 0 stands on a line of its own before the output. */
export function resultText({ output, exitCode }: Pick<CallItem, "output" | "exitCode">): string {
  if (exitCode === undefined || exitCode === 0) return output;
  return output === "" ? `[exit ${exitCode}]` : `[exit ${exitCode}]\n${output}`;
}

export type NoteItem = {
  readonly id: ItemId;
  readonly kind: "note";
  readonly text: string;
  /** It tells what was done, and nothing else does: models are given it, too. */
  readonly history?: true;
  readonly data?: Json;
};

/** An item that has started: what a screen can show before it is finished. */
export type OpenItem = {
  readonly id: ItemId;
  readonly kind: Item["kind"];
  readonly tool?: string;
  readonly args?: Json;
};
