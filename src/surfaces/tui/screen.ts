import { completions, laterCompletions, skillCompletions } from "../../operations/chat/completions.ts";
import type { Choosing } from "../../core/chat-state.ts";
import type { Client } from "../../core/calls.ts";
import type { Clock } from "../../lib/clock.ts";
import { type ActivityState, activityLine } from "./activity-line.ts";
import { type BannerFacts, bannerLines } from "./banner.ts";
import { fileList } from "./input/file-list.ts";
import { type Prompt, prompt } from "./input/prompt.ts";
import { picker } from "./picker.ts";
import type { TuiPorts } from "./ports.ts";
import type { QuestionPanel } from "./questions/panel.ts";
import { type StatusState, statusLine } from "./status-line.ts";
import { makeTheme, type Theme } from "./theme.ts";
import {
  ProcessTerminal,
  type TUI,
  TuiMainScreen,
  type Component,
  Container,
  type Focusable,
} from "./toolkit.ts";
import { type TranscriptView, transcriptView } from "./transcript/view.ts";

/** What is painted, from top to bottom: banner, transcript, a question or a list, what goes on, the prompt, the status. */
export type Screen = Pick<Panes, "banner" | "status" | "activity"> &
  Omit<MiddleArea, "middlePane"> &
  Disposable & {
    readonly tui: TUI;
    readonly theme: Theme;
    readonly view: TranscriptView;
    readonly prompt: Prompt;
    rows(): number;
    repaint(): void;
    /** Gives the terminal back to the shell until somebody says `fg`. */
    suspend(): void;
    wake(): void;
    /** Shows that it ends, and takes no more keys. */
    leave(): void;
    /** Paints the final frame, which stays in the terminal: no hint, no activity. */
    paintLast(): void;
  };

type ScreenActions = {
  submit(text: string, isPasted: boolean): void;
  image(): void;
  host(): Promise<Client>;
};

export function openScreen(ports: TuiPorts, clock: Clock, actions: ScreenActions): Screen {
  const theme = makeTheme(ports.env["NO_COLOR"] === undefined);
  const tui = new TuiMainScreen(new ProcessTerminal(), true);
  const repaint = (): void => tui.requestRender();
  const view = transcriptView({ theme, reasoning: "fold", now: () => clock.monotonic() });
  const facts = { version: ports.version, cwd: ports.cwd, warnings: [] };
  const { bannerPane, activityPane, statusPane, ...shown } = panes(facts, theme, clock, repaint);
  const input = prompt({
    tui,
    theme,
    cwd: ports.cwd,
    complete: async (line) => [
      ...completions(line, "tui"),
      ...(await skillCompletions(line, ports.cwd, actions.host)),
      ...(await laterCompletions(line, "tui", actions.host)),
    ],
    files: fileList(ports.cwd, ports.env, clock),
    onSubmit: actions.submit,
    onImage: actions.image,
  });
  const { middlePane, ...between } = middleArea(tui, theme, input);
  const order = [bannerPane, view.component, middlePane, activityPane, input.component, statusPane];
  for (const part of order) tui.addChild(part);
  tui.start();
  const ignoreResizes = onResize(ports, () => tui.requestRender(true));
  tui.setFocus(input.component);
  tui.renderNow();
  return {
    ...shown,
    ...between,
    ...lifetime(tui, clock, () => {
      ignoreResizes();
      between.panel()?.[Symbol.dispose]();
    }),
    tui,
    theme,
    view,
    prompt: input,
    rows: () => tui.terminal.rows,
    repaint,
    leave() {
      tui.setFocus(null);
      shown.activity(undefined);
      shown.status({ hint: "closing… Ctrl+C twice leaves at once" });
      tui.renderNow();
    },
    paintLast() {
      shown.status({ hint: undefined });
      tui.renderNow();
    },
  };
}

/** Also when the size is the old one again before we look: the terminal has moved the rows meanwhile. */
function onResize({ onSignal }: TuiPorts, repaint: () => void): () => void {
  // pi-tui sends itself the first one when it starts, and painting anew would clear what the terminal showed before us.
  let isFirst = true;
  return onSignal(["SIGWINCH"], () => {
    if (!isFirst) repaint();
    isFirst = false;
  });
}

/** By then the shell has stopped and resumed us, or there is no shell with job control. */
const stopMs = 250;

function lifetime(
  tui: TUI,
  clock: Clock,
  atEnd: () => void,
): Pick<Screen, "suspend" | "wake" | typeof Symbol.dispose> {
  let asleep = false;
  let closed = false;
  const wake = (): void => {
    if (!asleep || closed) return;
    asleep = false;
    tui.start();
    tui.renderNow(true);
  };
  return {
    suspend() {
      if (asleep) return;
      asleep = true;
      tui.stop();
      process.kill(0, "SIGTSTP");
      void clock.sleep(stopMs, undefined, { hold: true }).then(wake);
    },
    wake,
    [Symbol.dispose]() {
      if (closed) return;
      closed = true;
      atEnd();
      releaseTerminal(tui);
    },
  };
}

/** When the terminal window is already closed (EIO) there is nothing to restore. */
function releaseTerminal(tui: TUI): void {
  try {
    tui.stop();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EIO") throw error;
  }
}

/** What stands between transcript and prompt and takes the keys while it does: a question, or a list to choose from. */
type MiddleArea = {
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

function middleArea(tui: TUI, theme: Theme, input: Pick<Prompt, "component">): MiddleArea {
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

/** The parts of the screen that only show facts. */
type Panes = {
  readonly bannerPane: Component;
  readonly activityPane: Component;
  readonly statusPane: Component;
  banner(facts: BannerFacts): void;
  status(change: Partial<StatusState>): void;
  /** `undefined`: nothing goes on. */
  activity(state: Omit<ActivityState, "now"> | undefined): void;
};

function panes(first: BannerFacts, theme: Theme, clock: Clock, repaint: () => void): Panes {
  let facts = first;
  let status: StatusState = { queued: 0, hint: "starting…" };
  let active: Omit<ActivityState, "now"> | undefined;
  return {
    bannerPane: linesOf((width) => bannerLines(facts, theme, width)),
    activityPane: linesOf((width) =>
      active === undefined ? [] : [activityLine({ ...active, now: clock.monotonic() }, theme, width)],
    ),
    statusPane: linesOf((width) => [statusLine(status, theme, width)]),
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
  };
}

/** Computed anew with every frame. */
const linesOf = (lines: (width: number) => readonly string[]): Component => ({
  render: (width) => [...lines(width)],
  invalidate: () => {},
});
