import xterm from "@xterm/headless";
import { characterProperties, characterWidth } from "./character-width.ts";
import type { Keyboard } from "./keys.ts";

/** A terminal without a window: it understands what the program writes, keeps the picture, and answers its questions. */
export type Emulator = Disposable & {
  /** `parsed` is called when the picture shows it. */
  write(text: string, parsed: () => void): void;
  resize(columns: number, rows: number): void;
  /** Each row as it is now, with what has scrolled out of sight before it when wanted. */
  rows(where: "screen" | "all"): readonly string[];
  cursor(): { readonly x: number; readonly y: number };
  /** In the middle of a frame that the program wants shown as a whole. */
  readonly painting: boolean;
  readonly keyboard: Keyboard;
  readonly bracketedPaste: boolean;
};

export type EmulatorOptions = {
  readonly columns: number;
  readonly rows: number;
  /** Whether it speaks the kitty keyboard protocol when asked to. */
  readonly keyboard: "old" | "kitty";
  readonly background: "dark" | "light";
  /** Takes what the terminal answers. */
  readonly reply: (text: string) => void;
};

export function emulator(options: EmulatorOptions): Emulator {
  const { columns: cols, rows, reply } = options;
  const terminal = new xterm.Terminal({ cols, rows, scrollback: 50_000, allowProposedApi: true });
  terminal.unicode.register({
    version: "today",
    wcwidth: characterWidth,
    charProperties: characterProperties,
  });
  terminal.unicode.activeVersion = "today";
  terminal.onData(reply);
  answerColours(terminal, options);
  const kittyFlags = options.keyboard === "kitty" ? kittyStack(terminal, reply) : () => 0;
  return {
    write: (text, parsed) => terminal.write(text, parsed),
    resize: (columns, lines) => terminal.resize(columns, lines),
    rows: (where) => rowsOf(terminal, where === "all" ? 0 : terminal.buffer.active.baseY),
    cursor: () => ({ x: terminal.buffer.active.cursorX, y: terminal.buffer.active.cursorY }),
    get painting() {
      return terminal.modes.synchronizedOutputMode;
    },
    get keyboard() {
      return { applicationCursor: terminal.modes.applicationCursorKeysMode, kitty: kittyFlags() };
    },
    get bracketedPaste() {
      return terminal.modes.bracketedPasteMode;
    },
    [Symbol.dispose]: () => terminal.dispose(),
  };
}

type Terminal = InstanceType<typeof xterm.Terminal>;

/** The part that xterm leaves to the window: colours, whether they are dark, and the size of a cell. */
function answerColours({ parser }: Terminal, { background, reply }: EmulatorOptions): void {
  const dark = background === "dark";
  const [front, back] = dark ? ["d0d0", "1e1e"] : ["2020", "fafa"];
  for (const [code, shade] of [
    [10, front],
    [11, back],
  ] as const) {
    parser.registerOscHandler(code, (data) => {
      if (data !== "?") return false;
      reply(`\u001b]${code};rgb:${shade}/${shade}/${shade}\u001b\\`);
      return true;
    });
  }
  parser.registerCsiHandler({ prefix: "?", final: "n" }, ([what]) => {
    if (what !== 996) return false;
    reply(`\u001b[?997;${dark ? 1 : 2}n`);
    return true;
  });
  parser.registerCsiHandler({ final: "t" }, ([what]) => {
    if (what !== 16) return false;
    reply("\u001b[6;18;9t");
    return true;
  });
}

/** The programs that want the kitty keyboard put their flags on a stack and take them off when they leave. */
function kittyStack({ parser }: Terminal, reply: (text: string) => void): () => number {
  const stack: number[] = [];
  const current = (): number => stack.at(-1) ?? 0;
  const on = (prefix: string, act: (value: number) => unknown): void =>
    void parser.registerCsiHandler({ prefix, final: "u" }, (values) => (act(first(values)), true));
  on(">", (flags) => stack.push(flags));
  on("<", (count) => stack.splice(-Math.max(count, 1)));
  on("?", () => reply(`\u001b[?${current()}u`));
  return current;
}

const first = ([value]: readonly (number | number[])[]): number => (typeof value === "number" ? value : 0);

function rowsOf({ buffer: { active } }: Terminal, from: number): readonly string[] {
  const lines = Array.from({ length: active.length - from }, (_, at) => active.getLine(from + at));
  return lines.map((line) => line?.translateToString(true).trimEnd() ?? "");
}
