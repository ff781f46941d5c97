import { counted, durationText, secondsText } from "../amounts.ts";
import { type CallBlock, liveLines, wholeLines } from "./blocks.ts";
import { diffLines } from "./diff-lines.ts";
import type { BlockStyle } from "./block-style.ts";
import { cut, shownLine, shownText, wrapped } from "./shown-text.ts";
import type { Theme } from "../theme.ts";
import { visibleWidth } from "../toolkit.ts";

/** A finished call: what it was, how it went, and as much of its output as helps. */
export function callLines(block: CallBlock, style: BlockStyle): readonly string[] {
  const { theme, width, whole } = style;
  const room = Math.max(1, width - 2);
  const count = block.output.count();
  const shown = shownOf(block, count, whole);
  const hidden =
    shown === 0 && count > 0 && block.diff === undefined
      ? [`${counted(count, "line")}, Ctrl+O shows them`]
      : [];
  const took = block.ms === undefined ? [] : [durationText(block.ms)];
  const ended = block.ended === undefined ? [] : [shownLine(block.ended)];
  const head = headLine(block, marks(theme)[block.state], [...ended, ...took, ...hidden], style);
  const body = [
    ...(whole && !head.includes(block.detail) ? wrapped(shownText(block.detail).trimEnd(), room) : []),
    ...outputLines(block, shown, style),
    ...(block.diff === undefined ? [] : diffBody(block.diff, style)),
  ];
  return [head, ...body.map(indented)];
}

/** A call that runs. Its last lines share a place with those of the others, so that all of them stay in sight. */
export function runningLines(
  block: CallBlock,
  style: BlockStyle,
  { now, others, mark }: { readonly now: number; readonly others: number; readonly mark: string },
): readonly string[] {
  const share = Math.floor(liveLines / (others + 1));
  const ran = now - block.since;
  // With many calls the first may have scrolled away, and changing it would repaint the whole screen.
  const isCalm = others >= mostMoving;
  const facts = ran < 1_000 || isCalm ? [] : [secondsText(ran)];
  const last = share === 0 ? [] : block.output.lines().slice(-share);
  const room = Math.max(1, style.width - 2);
  return [
    headLine(block, style.theme.accent(isCalm ? "⏺" : mark), facts, style),
    ...last.map((line) => indented(style.theme.faint(cut(line, room)))),
  ];
}

const mostMoving = 6;

const indented = (line: string): string => `  ${line}`;

const marks = (theme: Theme): Readonly<Record<CallBlock["state"], string>> => ({
  running: theme.accent("⏺"),
  ok: theme.good("✓"),
  failed: theme.bad("✗"),
});

/** The end of the line is never lost: it says how the call went. */
function headLine(
  { name, detail }: CallBlock,
  mark: string,
  facts: readonly string[],
  { theme, width }: BlockStyle,
): string {
  const end = facts.map((fact) => ` · ${fact}`).join("");
  const tool = cut(shownLine(name), Math.max(1, width - 2));
  const left = width - 2 - visibleWidth(tool);
  const shownEnd = visibleWidth(end) <= left ? end : cut(end, Math.max(0, left));
  const room = left - visibleWidth(shownEnd) - 2;
  const words = room < 4 ? "" : cut(shownLine(detail), room);
  return `${mark} ${theme.strong(tool)}${words === "" ? "" : `  ${words}`}${theme.faint(shownEnd)}`;
}

const shortOutput = 5;
const failedOutput = 8;
const ownOutput = 40;

function shownOf({ state, byPerson: own, diff }: CallBlock, count: number, whole: boolean): number {
  if (whole) return wholeLines;
  if (own) return ownOutput;
  if (state === "failed") return failedOutput;
  return diff === undefined && count <= shortOutput ? shortOutput : 0;
}

function outputLines(
  { output }: CallBlock,
  most: number,
  { theme, width, whole }: BlockStyle,
): readonly string[] {
  if (most === 0) return [];
  const room = Math.max(1, width - 2);
  const lines = output.lines().slice(-most);
  const rows: string[] = [];
  let shown = 0;
  for (const line of lines.toReversed()) {
    const pieces = whole ? wrapped(line, room) : [cut(line, room)];
    if (rows.length + pieces.length > most) break;
    rows.push(...pieces.toReversed());
    shown += 1;
  }
  const before = output.count() - shown;
  return [
    ...(before > 0 ? [theme.faint(cut(`… ${counted(before, "earlier line")}`, room))] : []),
    ...rows.toReversed().map((row) => theme.faint(row)),
  ];
}

const shortDiff = 40;

const diffBody = (diff: string, { theme, width, whole }: BlockStyle): readonly string[] =>
  diffLines(diff, theme, {
    width: Math.max(1, width - 2),
    most: whole ? wholeLines : shortDiff,
    wrap: whole,
  });
