import type { Choosing } from "../../core/talk.ts";
import type { Clock } from "../../lib/clock.ts";
import { completions } from "../../commands/completions.ts";
import { type ActivityState, activityLine } from "./activity-line.ts";
import { type BannerFacts, bannerLines } from "./banner.ts";
import { fileList } from "./file-list.ts";
import { linesOf } from "./lines-component.ts";
import { picker } from "./picker.ts";
import type { TuiPorts } from "./ports.ts";
import { type Prompt, prompt } from "./prompt.ts";
import type { QuestionPanel } from "./question-panel.ts";
import { type StatusState, statusLine } from "./status-line.ts";
import { makeTheme, type Theme } from "./theme.ts";
import {
  type Component,
  Container,
  type Focusable,
  ProcessTerminal,
  type TUI,
  TuiMainScreen,
} from "./toolkit.ts";
import { type TranscriptView, transcriptView } from "./transcript-view.ts";

/** What is painted, from top to bottom: banner, transcript, a question or a list, what goes on, the prompt, the status. */
export interface Screen extends Disposable {
  readonly tui: TUI;
  readonly theme: Theme;
  readonly view: TranscriptView;
  readonly prompt: Prompt;
  rows(): number;
  banner(facts: BannerFacts): void;
  status(change: Partial<StatusState>): void;
  /** `undefined`: nothing goes on. */
  activity(state: Omit<ActivityState, "now"> | undefined): void;
  /** Shows the questions of the turns. */
  ask(panel: QuestionPanel): void;
  panel(): QuestionPanel | undefined;
  /** `undefined`: the person chose nothing. */
  pick(choosing: Choosing): Promise<string | undefined>;
  isPicking(): boolean;
  /** Who gets the keys follows from what is shown. */
  refocus(): void;
  repaint(): void;
  /** Gives the terminal back to the shell until somebody says `fg`. */
  suspend(): void;
  wake(): void;
  /** Shows that it ends, and takes no more keys. */
  leave(): void;
}

type Doing = { submit(text: string): void; image(): void };

export function openScreen(ports: TuiPorts, clock: Clock, doing: Doing): Screen {
  const theme = makeTheme(ports.env["NO_COLOR"] === undefined);
  const terminal = new ProcessTerminal();
  const tui = new TuiMainScreen(terminal, true);
  const view = transcriptView({ theme, reasoning: "fold", now: () => clock.monotonic() });
  let facts: BannerFacts = { version: ports.version, cwd: ports.cwd, warnings: [] };
  let status: StatusState = { queued: 0 };
  let active: Omit<ActivityState, "now"> | undefined;
  let questions: QuestionPanel | undefined;
  let list: (Component & Focusable) | undefined;
  let asleep = false;
  let over = false;
  const middle = new Container();
  const input = prompt({
    tui,
    theme,
    cwd: ports.cwd,
    complete: (line) => completions(line, "tui"),
    files: fileList(ports.cwd, ports.env, clock),
    onSubmit: doing.submit,
    onImage: doing.image,
  });
  tui.addChild(linesOf((width) => bannerLines(facts, theme, width)));
  tui.addChild(view.component);
  tui.addChild(middle);
  tui.addChild(
    linesOf((width) =>
      active === undefined ? [] : [activityLine({ ...active, now: clock.monotonic() }, theme, width)],
    ),
  );
  tui.addChild(input.component);
  tui.addChild(linesOf((width) => [statusLine(status, theme, width)]));

  const repaint = (): void => tui.requestRender();
  const shown: Screen = {
    tui,
    theme,
    view,
    prompt: input,
    rows: () => terminal.rows,
    banner(next) {
      facts = next;
      repaint();
    },
    status(change) {
      status = { ...status, ...change };
      repaint();
    },
    activity(state) {
      active = state;
      repaint();
    },
    ask(panel) {
      questions = panel;
      middle.addChild(panel.component);
    },
    panel: () => questions,
    pick: (choosing) =>
      new Promise((resolve) => {
        const close = (value: string | undefined): void => {
          if (list !== undefined) middle.removeChild(list);
          list = undefined;
          shown.refocus();
          resolve(value);
        };
        if (list !== undefined) return resolve(undefined);
        list = picker({
          theme,
          choosing,
          rows: () => terminal.rows,
          onPick: close,
          onCancel: () => close(undefined),
        });
        middle.addChild(list);
        shown.refocus();
      }),
    isPicking: () => list !== undefined,
    refocus() {
      const first = questions?.open === true ? questions.component : (list ?? input.component);
      tui.setFocus(first);
      repaint();
    },
    repaint,
    suspend() {
      asleep = true;
      tui.stop();
      process.kill(0, "SIGTSTP");
    },
    wake() {
      if (!asleep) return;
      asleep = false;
      tui.start();
      tui.renderNow(true);
    },
    leave() {
      tui.setFocus(null);
      active = undefined;
      status = { ...status, hint: "closing…" };
      tui.renderNow();
    },
    [Symbol.dispose]() {
      if (over) return;
      over = true;
      questions?.[Symbol.dispose]();
      tui.stop();
    },
  };
  tui.start();
  tui.setFocus(input.component);
  tui.renderNow();
  return shown;
}
