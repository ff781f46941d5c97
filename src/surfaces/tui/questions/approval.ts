import type { Answered, ApprovalState, Choice } from "../../../core/asking.ts";
import { approvalRows, unreadNote } from "./approval-rows.ts";
import { isKey, type KeyName, type Pressed } from "./keys.ts";
import { isDigit, selection } from "./selection.ts";
import { exactRows, cleanLine } from "./text.ts";
import type { QuestionView } from "./view.ts";
import { scrollWindow } from "./window.ts";

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

  /** Words that mean nothing here were meant for something else, so they take the choice back. */
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
