import type { Envelope } from "../../../core/events.ts";
import type { Past } from "../../../core/session.ts";
import { spinner } from "../activity-line.ts";
import type { Theme } from "../theme.ts";
import type { Component } from "../toolkit.ts";
import { runningLines } from "./block-call.ts";
import { blockLines } from "./block-lines.ts";
import type { BlockStyle } from "./block-style.ts";
import type { Block } from "./blocks.ts";
import { pastBlocks } from "./past.ts";
import { proseLines } from "./prose-lines.ts";
import { within } from "./shown-text.ts";
import { transcript, type Transcript } from "./transcript.ts";
import type { ShellEntry } from "./user-entries.ts";

export type TranscriptOptions = {
  readonly theme: Theme;
  readonly reasoning: BlockStyle["reasoning"];
  /** For durations: a clock that never goes back. */
  readonly now: () => number;
};

/** The conversation as it is painted. Nothing here throws, whatever comes in. */
export interface TranscriptView {
  readonly component: Component;
  /** Every event of the session's turns. */
  event(event: Envelope): void;
  user(entry: UserEntry): void;
  /** What became of one that waited. */
  settle(id: string, state: "sent" | "queued" | "steered" | "set aside" | "unconfirmed"): void;
  note(text: string): void;
  fault(fault: { readonly message: string; readonly next: string }): void;
  /** The answer to a command, below the line that asked for it. */
  reply(text: string, command: string): void;
  /** How much of the model's thinking is shown. */
  reasoning(how: BlockStyle["reasoning"]): void;
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
  readonly state?: "sending" | "queued" | "steered" | "unconfirmed";
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

/** The rows of a transcript. Every frame asks for all of them, so only what has changed is laid out again. */
interface TranscriptRows {
  at(shown: Pick<BlockStyle, "width" | "reasoning" | "whole">): string[];
  /** Everything is laid out anew. */
  forget(): void;
}

/** A block in its place. `end`: how many rows there are with it. `last`: the last kind of block that can be seen. */
type Placed = { readonly block: Block; readonly end: number; readonly last: Block["kind"] | undefined };

function transcriptRows(theme: Theme, blocks: Transcript, now: () => number): TranscriptRows {
  let style: BlockStyle = { theme, width: 0, reasoning: "fold", whole: false, prose: proseLines(theme) };
  let known = new WeakMap<Block, readonly string[]>();
  const placed: Placed[] = [];
  const rows: string[] = [];
  const linesOf = (block: Block): readonly string[] => {
    const found = known.get(block) ?? blockLines(block, style);
    known.set(block, found);
    return found;
  };
  /** Rows before the first changed block are left as they are. */
  const placeSettled = (settled: readonly Block[]): void => {
    let same = 0;
    while (same < placed.length && placed[same]?.block === settled[same]) same += 1;
    placed.length = same;
    rows.length = placed.at(-1)?.end ?? 0;
    for (const block of settled.slice(same)) {
      const last = append(rows, placed.at(-1)?.last, block.kind, linesOf(block));
      placed.push({ block, end: rows.length, last });
    }
  };
  const below = (): readonly string[] => {
    const open: string[] = [];
    let last = placed.at(-1)?.last;
    const running = blocks.running();
    const frame = { now: now(), others: running.length - 1, mark: spinner(now()) };
    for (const call of running) last = append(open, last, "call", runningLines(call, style, frame));
    for (const user of blocks.waiting()) last = append(open, last, "user", linesOf(user));
    return open.map((line) => within(line, style.width));
  };
  const forget = (): void => {
    known = new WeakMap();
    placed.length = 0;
  };
  return {
    forget,
    at(shown) {
      const { width, reasoning, whole } = style;
      const isSame = width === shown.width && reasoning === shown.reasoning && whole === shown.whole;
      if (!isSame) forget();
      style = { ...style, ...shown };
      placeSettled(blocks.settled());
      return rows.concat(below());
    },
  };
}

/** Returns what stands last now. */
function append(
  rows: string[],
  last: Block["kind"] | undefined,
  kind: Block["kind"],
  lines: readonly string[],
): Block["kind"] | undefined {
  if (lines.length === 0) return last;
  if (hasGap(last, kind)) rows.push("");
  for (const line of lines) rows.push(line);
  return kind;
}

const tight: ReadonlySet<Block["kind"]> = new Set(["call", "note", "thinking"]);

/** Calls, notes and thinking stand together; the first block is set off from the banner above it. */
function hasGap(before: Block["kind"] | undefined, kind: Block["kind"]): boolean {
  if (before === undefined) return true;
  if (kind === "end") return false;
  return !(tight.has(before) && tight.has(kind));
}
