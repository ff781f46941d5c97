import { counted, durationText } from "../amounts.ts";
import type { BlockStyle } from "./block-style.ts";
import type { Paint, Theme } from "../theme.ts";
import { callLines } from "./block-call.ts";
import { type Block, type ProseBlock, wholeLines, type UserBlock, type UserState } from "./blocks.ts";
import { diffLines } from "./diff-lines.ts";
import { isDiff } from "./diff-parse.ts";
import { cut, shownLine, shownText, within, wrapped } from "./shown-text.ts";

/** A block as lines, none of them wider than the screen. Nothing of it: no lines. */
export function blockLines(block: Block, style: BlockStyle): readonly string[] {
  const lines = painted(block, style);
  // Prose is laid out piece by piece, and each piece was looked at.
  if (block.kind === "answer" || block.kind === "commentary") return lines;
  return lines.map((line) => within(line, style.width));
}

function painted(block: Block, style: BlockStyle): readonly string[] {
  const { theme, width } = style;
  switch (block.kind) {
    case "user":
      return userLines(block, style);
    case "answer":
    case "commentary":
      return style.prose(block.chunks.chunks(), { width, faint: block.kind === "commentary" });
    case "thinking":
      return thinkingLines(block, style);
    case "call":
      return callLines(block, style);
    case "note":
      return hanging("· ", block.text, width, theme.faint);
    case "fault":
      return [...hanging("✗ ", block.message, width, theme.bad), ...hanging("→ ", block.next, width, plain)];
    case "reply":
      return [
        ...hanging("› ", block.command, width, theme.faint),
        ...(block.text === "" ? [] : replyLines(block.text, style)),
      ];
    case "end":
      return hanging("· ", block.text, width, block.warn ? theme.warn : theme.faint);
  }
}

const plain: Paint = (text) => text;

/** The first line behind a mark, the others under it. */
function hanging(mark: string, text: string, width: number, paint: Paint): readonly string[] {
  const lines = wrapped(shownText(text).trimEnd(), Math.max(1, width - mark.length));
  return lines.map((line, at) => paint((at === 0 ? mark : " ".repeat(mark.length)) + line));
}

function thinkingLines({ text, chunks, ms, isOpen }: ProseBlock, style: BlockStyle): readonly string[] {
  const { theme, width, reasoning, prose } = style;
  if (reasoning === "hide" || (text.trim() === "" && !isOpen)) return [];
  const title = ms === undefined ? "thought" : `thought for ${durationText(ms)}`;
  const head = `✻ ${isOpen ? "thinking" : title}`;
  if (reasoning === "show")
    return [theme.faint(cut(head, width)), ...prose(chunks.chunks(), { width, faint: true })];
  const words = shownLine(text.slice(0, 400)).replaceAll(/[*#`]+/g, "");
  return [theme.faint(cut(words === "" ? head : `${head} · ${words}`, width))];
}

/** A diff may stand below words about it. */
function replyLines(text: string, style: BlockStyle): readonly string[] {
  const { theme, width } = style;
  if (!isDiff(text)) return wordLines(text, style);
  const from = Math.max(0, text.search(diffBegins));
  const words = text.slice(0, from).trimEnd();
  return [
    ...(words === "" ? [] : wordLines(words, style)),
    ...diffLines(text.slice(from), theme, { width, most: wholeLines, wrap: true }),
  ];
}

const diffBegins = /^(?:diff --git |--- .*\n\+\+\+ )/m;

function wordLines(text: string, { theme, width }: BlockStyle): readonly string[] {
  const lines = wrapped(shownText(text).trimEnd(), width);
  if (lines.length <= wholeLines) return lines;
  return [
    ...lines.slice(0, wholeLines),
    theme.faint(cut(`… ${counted(lines.length - wholeLines, "more line")}`, width)),
  ];
}

/** The beginning of a long paste is enough for its author. */
const shortLines = 20;

function userLines(
  { text, images, state }: UserBlock,
  { theme, width, whole }: BlockStyle,
): readonly string[] {
  const [room, most] = [Math.max(1, width - 2), whole ? wholeLines : shortLines];
  const all = wrapped(shownText(text).trimEnd(), room);
  const paint =
    state === undefined || state === "sending" || state === "steered" ? theme.strong : theme.faint;
  const title = all.slice(0, most).map((line, at) => {
    const mark = at === 0 ? theme.accent("› ") : "  ";
    return mark + (line === "" ? "" : paint(line));
  });
  const more = all.length > most ? [`… ${counted(all.length - most, "more line")}`] : [];
  const chips = images.map((name) => `[image: ${shownLine(name)}]`);
  return [
    ...title,
    ...more.map((line) => `  ${theme.faint(cut(line, room))}`),
    ...chips.map((line) => `  ${theme.faint(cut(line, room))}`),
    ...(state === undefined || state === "sending"
      ? []
      : [`  ${statePaint(state, theme)(cut(stateWords[state], room))}`]),
  ];
}

const stateWords: Readonly<Record<Exclude<UserState, "sending">, string>> = {
  queued: "queued, runs after this turn",
  steered: "joined the running turn",
  unconfirmed: "sent into the running turn; nobody can say whether it arrived",
  "set aside": "set aside, not sent",
};

const statePaint = (state: UserState, theme: Theme): Theme["faint"] =>
  state === "unconfirmed" || state === "set aside" ? theme.warn : theme.faint;
