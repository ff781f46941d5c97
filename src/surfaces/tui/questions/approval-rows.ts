import type { Choice } from "../../../core/asking.ts";
import { choiceWords } from "../../../core/asking-words.ts";
import { exactRows, fit, painted, proseRows } from "./text.ts";
import { type Frame, footRows, headRows, rowsBelow } from "./view.ts";
import type { ScrollWindow } from "./window.ts";

export type ApprovalScreen = {
  readonly choices: readonly Choice[];
  readonly chosen: number | undefined;
  readonly allowed: readonly number[];
  readonly seen: boolean;
  readonly note: string;
  readonly body: readonly string[];
  readonly window: ScrollWindow;
};

/** With fewer rows than this for what is asked, the choices move together. */
const fewest = 3;

/** `visible`: nothing from the first line of what is asked downwards is pushed off the screen. */
export function approvalRows(
  screen: ApprovalScreen,
  frame: Frame,
): { readonly rows: readonly string[]; readonly visible: boolean } {
  const painting = rowsWith(hintOf(screen), screen, frame);
  if (painting.visible || screen.seen || screen.chosen !== undefined) return painting;
  return {
    ...rowsWith("make the terminal taller to allow it · Escape, Enter: deny", screen, frame),
    visible: false,
  };
}

/** Said when somebody tries to allow it before. */
export const unreadNote = "not yet: it can be allowed once its last line was shown (PageDown)";

function hintOf({ choices, chosen, seen, window, note }: ApprovalScreen): string {
  const choice = choices[chosen ?? -1];
  if (note === unreadNote) return "";
  if (choice !== undefined) return `Enter: ${choiceWords[choice]} · another number changes it`;
  if (!seen) return "PageDown to the last line, then it can be allowed · Escape, Enter: deny";
  return window.long
    ? "press a number, then Enter · ↑↓ PageUp PageDown scroll"
    : "press a number, then Enter · Escape, Enter: deny";
}

function rowsWith(
  hint: string,
  screen: ApprovalScreen,
  frame: Frame,
): { readonly rows: readonly string[]; readonly visible: boolean } {
  const { body, window, note } = screen;
  const head = headRows("May this be done?", frame);
  const foot = footRows(note, hint, frame);
  const room = (choices: readonly string[]): number =>
    Math.min(
      Math.floor(frame.rows / 2),
      frame.rows - rowsBelow - head.length - choices.length - foot.length - 1,
    );
  const roomy = choiceRows(screen, frame);
  const choices = room(roomy) < Math.min(body.length, fewest) ? tightRows(screen, frame) : roomy;
  const part = window.part(body, room(choices));
  const place = window.long ? [frame.theme.accent(fit(`├ ${window.place}`, frame.width))] : [];
  const asked = [...part, ...place, ...choices, ...foot];
  return { rows: [...head, ...asked], visible: asked.length + rowsBelow <= frame.rows };
}

const choiceRows = (
  { choices, chosen, allowed }: ApprovalScreen,
  { width, theme }: Frame,
): readonly string[] =>
  choices.flatMap((choice, index) => {
    const rows = exactRows([`${index === chosen ? "▸" : " "} ${index + 1} ${choiceWords[choice]}`], width);
    if (index === chosen) return painted(rows, (text) => theme.strong(theme.accent(text)));
    return allowed.includes(index) ? rows : painted(rows, theme.faint);
  });

const tightRows = ({ choices, chosen }: ApprovalScreen, { width }: Frame): readonly string[] =>
  proseRows(
    choices
      .map((choice, index) => `${index === chosen ? "▸" : ""}${index + 1} ${choiceWords[choice]}`)
      .join("  "),
    width,
  );
