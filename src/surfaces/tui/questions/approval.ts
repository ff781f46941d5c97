import { choiceWords } from "../../../core/asking-words.ts";
import type { Answered, ApprovalState, Choice } from "../../../core/asking.ts";
import { isKey, type KeyName, type Pressed } from "./keys.ts";
import { isDigit, selection } from "./selection.ts";
import { exactRows, cleanLine, fit, painted, proseRows } from "./text.ts";
import { type QuestionView, type Frame, footRows, headRows, rowsBelow } from "./view.ts";
import { scrollWindow, type ScrollWindow } from "./window.ts";

/**
 * May this be done? All of it is shown, and nothing can be allowed before its last line was on the screen. A key chooses,
 * Enter says it.
 */
export function approvalView(
  { choices, shown, question }: ApprovalState,
  send: (choice: Choice) => Promise<Answered>,
): QuestionView {
  const list = selection();
  const window = scrollWindow();
  let wrapped: { readonly width: number; readonly rows: readonly string[] } | undefined;
  let seen = false;
  let note = "";

  const allowed = (): readonly number[] =>
    choices.flatMap((choice, index) => (choice === "deny" || seen ? [index] : []));
  const choose = (index: number | undefined): void => {
    const unread = index !== undefined && !allowed().includes(index);
    note = unread ? unreadNote : "";
    list.choose(unread ? undefined : index);
  };
  const bodyOf = (width: number): readonly string[] => {
    if (wrapped?.width !== width) wrapped = { width, rows: exactRows(shown, width) };
    return wrapped.rows;
  };
  return {
    name: cleanLine(question.summary),
    render(frame) {
      const paint = () =>
        approvalRows(
          { choices, chosen: list.chosen, allowed: allowed(), seen, note, body: bodyOf(frame.width), window },
          frame,
        );
      const wasLong = window.long;
      const { rows, visible } = paint();
      const nowSeen = seen || (visible && window.atEnd);
      if (nowSeen === seen && window.long === wasLong) return rows;
      seen = nowSeen;
      return paint().rows;
    },
    press(key) {
      const chosen = choices[list.chosen ?? -1];
      if (isKey(key, "enter")) return chosen === undefined ? undefined : () => send(chosen);
      note = "";
      if (window.long && window.scroll(key)) return undefined;
      const step = key.kind === "key" ? steps[key.name] : undefined;
      if (step !== undefined) list.step(step, allowed());
      if (isKey(key, "escape")) choose(indexIn(choices, "deny"));
      if (key.kind === "text")
        choose(isDigit(key.text) ? list.byDigit(key.text, choices.length) : named(key));
      return undefined;
    },
    failed(why) {
      list.choose(undefined);
      note = cleanLine(why);
    },
    invalidate: () => void (wrapped = undefined),
  };

  /** Any other text was probably meant for the prompt, so it clears the choice. */
  function named({ text }: Extract<Pressed, { kind: "text" }>): number | undefined {
    const word = text.toLowerCase();
    if (word !== "y" && word !== "n") return undefined;
    return indexIn(choices, word === "y" ? "once" : "deny");
  }
}

const steps: Readonly<Partial<Record<KeyName, 1 | -1>>> = {
  up: -1,
  left: -1,
  "shift+tab": -1,
  down: 1,
  right: 1,
  tab: 1,
};

const indexIn = (choices: readonly Choice[], wanted: Choice): number | undefined =>
  choices.includes(wanted) ? choices.indexOf(wanted) : undefined;

type ApprovalScreen = {
  readonly choices: readonly Choice[];
  readonly chosen: number | undefined;
  readonly allowed: readonly number[];
  readonly seen: boolean;
  readonly note: string;
  readonly body: readonly string[];
  readonly window: ScrollWindow;
};

/** With fewer rows than this for what is asked, the choices move together. */
const minBodyRows = 3;

/** `visible`: nothing from the first line of what is asked downwards is pushed off the screen. */
function approvalRows(
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

/** Shown when somebody tries to allow it before the last line was on the screen. */
const unreadNote = "not yet: it can be allowed once its last line was shown (PageDown)";

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
  const choices = room(roomy) < Math.min(body.length, minBodyRows) ? tightRows(screen, frame) : roomy;
  const part = window.part(body, room(choices));
  const position = window.long ? [frame.theme.accent(fit(`├ ${window.position}`, frame.width))] : [];
  const asked = [...part, ...position, ...choices, ...foot];
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
