import type { Choosing } from "../../core/talk.ts";
import { picker } from "./picker.ts";
import type { Prompt } from "./prompt.ts";
import type { QuestionPanel } from "./question-panel.ts";
import type { Theme } from "./theme.ts";
import { type Component, Container, type Focusable, type TUI } from "./toolkit.ts";

/** What stands between transcript and prompt and takes the keys while it does: a question, or a list to choose from. */
export type Middle = {
  readonly middlePane: Component;
  /** Shows the questions of the turns from now on. */
  ask(panel: QuestionPanel): void;
  panel(): QuestionPanel | undefined;
  /** `undefined`: the person chose nothing. */
  pick(choosing: Choosing): Promise<string | undefined>;
  isPicking(): boolean;
  /** Who gets the keys follows from what is shown. */
  refocus(): void;
};

export function middle(tui: TUI, theme: Theme, input: Pick<Prompt, "component">): Middle {
  const box = new Container();
  const rows = (): number => tui.terminal.rows;
  let questions: QuestionPanel | undefined;
  let list: (Component & Focusable) | undefined;
  const refocus = (): void => {
    tui.setFocus(questions?.open === true ? questions.component : (list ?? input.component));
    tui.requestRender();
  };
  return {
    middlePane: box,
    ask(panel) {
      questions = panel;
      box.addChild(panel.component);
    },
    panel: () => questions,
    pick: (choosing) =>
      new Promise((resolve) => {
        if (list !== undefined) return resolve(undefined);
        const close = (value: string | undefined): void => {
          if (list !== undefined) box.removeChild(list);
          list = undefined;
          refocus();
          resolve(value);
        };
        list = picker({ theme, choosing, rows, onPick: close, onCancel: () => close(undefined) });
        box.addChild(list);
        refocus();
      }),
    isPicking: () => list !== undefined,
    refocus,
  };
}
