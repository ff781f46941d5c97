import type { Envelope } from "../../../core/events.ts";
import type { Past } from "../../../core/past.ts";
import type { Look } from "../look.ts";
import { pastBlocks } from "./past.ts";
import type { Theme } from "../theme.ts";
import type { Component } from "../toolkit.ts";
import { transcript } from "./transcript.ts";
import type { ShellEntry } from "./people.ts";
import { transcriptRows } from "./rows.ts";

export type TranscriptOptions = {
  readonly theme: Theme;
  readonly reasoning: Look["reasoning"];
  /** For durations: a clock that never goes back. */
  readonly now: () => number;
};

/** The conversation as it is painted. Nothing here throws, whatever comes in. */
export interface TranscriptView {
  readonly component: Component;
  /** Every event of the session's turns. */
  event(event: Envelope): void;
  user(entry: UserEntry): void;
  /** What became of a queued one. */
  settle(id: string, state: "sent" | "steered" | "set aside" | "unconfirmed"): void;
  note(text: string): void;
  fault(fault: { readonly message: string; readonly next: string }): void;
  /** The answer to a command, below the line that asked for it. */
  reply(text: string, command: string): void;
  /** How much of the model's thinking is shown. */
  reasoning(how: Look["reasoning"]): void;
  /** A command that the person runs themselves. */
  shell(id: string, command: string): ShellEntry;
  /** Turns that were not followed here. */
  past(past: Past): void;
  /** The model's thinking: folded or whole. */
  toggleReasoning(): void;
  /** Outputs and diffs: short or whole. */
  toggleDetails(): void;
  clear(): void;
}

export type UserEntry = {
  readonly id: string;
  readonly text: string;
  readonly images?: readonly string[];
  readonly state?: "queued" | "steered" | "unconfirmed";
};

export function transcriptView({ theme, reasoning, now }: TranscriptOptions): TranscriptView {
  const blocks = transcript(now);
  let [thinking, whole] = [reasoning, false];
  const rows = transcriptRows(theme, blocks, now);
  const add = blocks.add;
  return {
    component: {
      render: (width) => rows.at({ width, reasoning: thinking, whole }),
      invalidate: () => rows.forget(),
    },
    event: blocks.event,
    user: ({ id, text, images = [], state }) =>
      blocks.user(id, { kind: "user", text, images, ...(state === undefined ? {} : { state }) }),
    settle: blocks.settle,
    note: (text) => add({ kind: "note", text }),
    fault: ({ message, next }) => add({ kind: "fault", message, next }),
    reply: (text, command) => add({ kind: "reply", text, command }),
    reasoning: (how) => void (thinking = how),
    shell: blocks.shell,
    past: (past) => pastBlocks(past).forEach((block) => add(block)),
    toggleReasoning: () => void (thinking = thinking === "show" ? "fold" : "show"),
    toggleDetails: () => void (whole = !whole),
    clear: blocks.clear,
  };
}
