import xterm from "@xterm/headless";
import type { FileList } from "./file-list.ts";
import { type Prompt, type PromptOptions, prompt } from "./prompt.ts";
import { makeTheme } from "../theme.ts";
import { type Terminal, TuiMainScreen } from "../toolkit.ts";

export const keys = {
  enter: "\r",
  tab: "\t",
  escape: "\u001B",
  up: "\u001B[A",
  down: "\u001B[B",
  right: "\u001B[C",
  left: "\u001B[D",
  home: "\u001B[H",
  backspace: "\u007F",
  pageUp: "\u001B[5~",
  pageDown: "\u001B[6~",
} as const;

export type Typist = ReturnType<typeof typist>;

/** A person at a terminal without a terminal: keys go in, and what would be seen comes out. */
export function typist(columns = 80, rows = 24) {
  const seen = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  let input: ((data: string) => void) | undefined;
  const press = (data: string): void => input?.(data);
  const terminal: Terminal = {
    columns,
    rows,
    kittyProtocolActive: false,
    start: (onInput) => void (input = onInput),
    write: (data) => seen.write(data),
    stop() {},
    drainInput: async () => {},
    moveBy() {},
    hideCursor() {},
    showCursor() {},
    clearLine() {},
    clearFromCursor() {},
    clearScreen() {},
    setTitle() {},
    setProgress() {},
  };
  const tui = new TuiMainScreen(terminal, true);
  tui.start();
  return {
    tui,
    press: (...pressed: readonly string[]) => {
      for (const key of pressed) press(key);
    },
    type(text: string) {
      for (let at = 0; at < text.length; at++) press(text.charAt(at));
    },
    paste: (text: string) => press(`\u001B[200~${text}\u001B[201~`),
    /** What is on the screen now, without empty lines at its end. */
    async screen(): Promise<readonly string[]> {
      tui.renderNow();
      await new Promise<void>((resolve) => seen.write("", resolve));
      const { active } = seen.buffer;
      const lines = Array.from({ length: rows }, (_, row) =>
        (active.getLine(active.baseY + row)?.translateToString(true) ?? "").trimEnd(),
      );
      return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
    },
    [Symbol.dispose]: () => tui.stop(),
  };
}

/** With a prompt on the screen. */
export function atPrompt(
  options: Partial<Omit<PromptOptions, "tui" | "theme">> & {
    readonly columns?: number;
    readonly rows?: number;
  } = {},
): Typist & { readonly prompt: Prompt; readonly submitted: string[]; readonly pasted: string[] } {
  const person = typist(options.columns, options.rows);
  const submitted: string[] = [];
  const pasted: string[] = [];
  const made = prompt({
    tui: person.tui,
    theme: makeTheme(true),
    cwd: "/",
    complete: () => [],
    files: listing([]),
    onSubmit: (text, isPasted) => {
      submitted.push(text);
      if (isPasted) pasted.push(text);
    },
    onImage: () => {},
    ...options,
  });
  person.tui.addChild(made.component);
  person.tui.setFocus(made.component);
  return { ...person, prompt: made, submitted, pasted };
}

export const listing = (paths: readonly string[]): FileList => ({ list: async () => paths });

/** Resolves as soon as it is so; the runner's own time limit ends a wait for what never comes. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve));
}
