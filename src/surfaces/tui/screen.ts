import { completions, laterCompletions, skillCompletions } from "../../commands/completions.ts";
import type { Host } from "../../core/host.ts";
import type { Clock } from "../../lib/clock.ts";
import { fileList } from "./file-list.ts";
import { type Middle, middle } from "./middle.ts";
import { type Panes, panes } from "./panes.ts";
import type { TuiPorts } from "./ports.ts";
import { type Prompt, prompt } from "./prompt.ts";
import { makeTheme, type Theme } from "./theme.ts";
import { ProcessTerminal, type TUI, TuiMainScreen } from "./toolkit.ts";
import { type TranscriptView, transcriptView } from "./transcript-view.ts";

/** What is painted, from top to bottom: banner, transcript, a question or a list, what goes on, the prompt, the status. */
export type Screen = Pick<Panes, "banner" | "status" | "activity"> &
  Omit<Middle, "middlePane"> &
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
    /** What stays in the terminal: nothing that goes on. */
    lastPicture(): void;
  };

type Doing = {
  submit(text: string, isPasted: boolean): void;
  image(): void;
  host(): Promise<Pick<Host, "tools" | "learned">>;
};

export function openScreen(ports: TuiPorts, clock: Clock, doing: Doing): Screen {
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
      ...(await skillCompletions(line, ports.cwd, doing.host)),
      ...(await laterCompletions(line, "tui", doing.host)),
    ],
    files: fileList(ports.cwd, ports.env, clock),
    onSubmit: doing.submit,
    onImage: doing.image,
  });
  const { middlePane, ...between } = middle(tui, theme, input);
  const order = [bannerPane, view.component, middlePane, activityPane, input.component, statusPane];
  for (const part of order) tui.addChild(part);
  tui.start();
  tui.setFocus(input.component);
  tui.renderNow();
  return {
    ...shown,
    ...between,
    ...lifetime(tui, clock, () => between.panel()?.[Symbol.dispose]()),
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
    lastPicture() {
      shown.status({ hint: undefined });
      tui.renderNow();
    },
  };
}

/** By then we have been stopped, and woken again; or there is no shell that could do either. */
const stopMs = 250;

function lifetime(
  tui: TUI,
  clock: Clock,
  atEnd: () => void,
): Pick<Screen, "suspend" | "wake" | typeof Symbol.dispose> {
  let asleep = false;
  let over = false;
  const wake = (): void => {
    if (!asleep || over) return;
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
      if (over) return;
      over = true;
      atEnd();
      giveBack(tui);
    },
  };
}

/** A window that was closed needs nothing back. */
function giveBack(tui: TUI): void {
  try {
    tui.stop();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EIO") throw error;
  }
}
