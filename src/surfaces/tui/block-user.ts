import { counted } from "./amounts.ts";
import { type UserBlock, type UserState, wholeLines } from "./blocks.ts";
import type { Look } from "./look.ts";
import { cut, shownLine, shownText, wrapped } from "./shown-text.ts";
import type { Theme } from "./theme.ts";

/** Of what was pasted, a person knows the rest. */
const shortLines = 20;

export function userLines(
  { text, images, state }: UserBlock,
  { theme, width, whole }: Look,
): readonly string[] {
  const [room, most] = [Math.max(1, width - 2), whole ? wholeLines : shortLines];
  const all = wrapped(shownText(text).trimEnd(), room);
  const paint = state === undefined || state === "steered" ? theme.strong : theme.faint;
  const said = all.slice(0, most).map((line, at) => {
    const mark = at === 0 ? theme.accent("› ") : "  ";
    return mark + (line === "" ? "" : paint(line));
  });
  const more = all.length > most ? [`… ${counted(all.length - most, "more line")}`] : [];
  const chips = images.map((name) => `[image: ${shownLine(name)}]`);
  return [
    ...said,
    ...more.map((line) => `  ${theme.faint(cut(line, room))}`),
    ...chips.map((line) => `  ${theme.faint(cut(line, room))}`),
    ...(state === undefined ? [] : [`  ${statePaint(state, theme)(cut(stateWords[state], room))}`]),
  ];
}

const stateWords: Readonly<Record<UserState, string>> = {
  queued: "queued, runs after this turn",
  steered: "joined the running turn",
  unconfirmed: "sent into the running turn; nobody can say whether it arrived",
  "set aside": "set aside, not sent",
};

const statePaint = (state: UserState, theme: Theme): Theme["faint"] =>
  state === "unconfirmed" || state === "set aside" ? theme.warn : theme.faint;
