import { spinner } from "../activity-line.ts";
import { runningLines } from "./block-call.ts";
import { blockLines } from "./block-lines.ts";
import type { Block } from "./blocks.ts";
import type { Look } from "../look.ts";
import { proseLines } from "./prose-lines.ts";
import { within } from "./shown-text.ts";
import type { Theme } from "../theme.ts";
import type { Transcript } from "./transcript.ts";

/** The rows of a transcript. Every frame asks for all of them, so only what has changed is laid out again. */
export interface TranscriptRows {
  at(shown: Pick<Look, "width" | "reasoning" | "whole">): string[];
  /** Everything is laid out anew. */
  forget(): void;
}

/** A block in its place. `end`: how many rows there are with it. `last`: the last kind of block that can be seen. */
type Placed = { readonly block: Block; readonly end: number; readonly last: Block["kind"] | undefined };

export function transcriptRows(theme: Theme, blocks: Transcript, now: () => number): TranscriptRows {
  let look: Look = { theme, width: 0, reasoning: "fold", whole: false, prose: proseLines(theme) };
  let known = new WeakMap<Block, readonly string[]>();
  const placed: Placed[] = [];
  const rows: string[] = [];
  const linesOf = (block: Block): readonly string[] => {
    const found = known.get(block) ?? blockLines(block, look);
    known.set(block, found);
    return found;
  };
  /** Up to the first block that is not the one that stood there, nothing is touched. */
  const place = (settled: readonly Block[]): void => {
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
    for (const call of running) last = append(open, last, "call", runningLines(call, look, frame));
    for (const user of blocks.waiting()) last = append(open, last, "user", linesOf(user));
    return open.map((line) => within(line, look.width));
  };
  const forget = (): void => {
    known = new WeakMap();
    placed.length = 0;
  };
  return {
    forget,
    at(shown) {
      const { width, reasoning, whole } = look;
      const isSame = width === shown.width && reasoning === shown.reasoning && whole === shown.whole;
      if (!isSame) forget();
      look = { ...look, ...shown };
      place(blocks.settled());
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

/** What belongs together stands together; the first block keeps away from what is above it. */
function hasGap(before: Block["kind"] | undefined, kind: Block["kind"]): boolean {
  if (before === undefined) return true;
  if (kind === "end") return false;
  return !(tight.has(before) && tight.has(kind));
}
