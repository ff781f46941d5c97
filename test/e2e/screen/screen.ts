import { systemClock } from "../../../src/lib/clock.ts";
import type { Talaria } from "../talaria.ts";
import { type EmulatorOptions, emulator } from "./emulator.ts";
import { type Key, bytesOf } from "./keys.ts";
import { type Exit, type PtyProgram, startInPty } from "./pty.ts";

/** A program in a terminal of its own, as the person in front of it sees it. It is gone, with all it started, on disposal. */
export type Screen = Omit<PtyProgram, "write"> & {
  /** As if typed, all at once. */
  type(text: string): void;
  press(...keys: readonly Key[]): void;
  /** In brackets when the program has asked for them; lines end as terminals end them. */
  paste(text: string): void;
  /** What can be seen now. */
  text(): string;
  /** With what has scrolled out of sight. */
  all(): string;
  cursor(): { readonly x: number; readonly y: number };
  /**
   * Resolves with all that is seen when this is part of it. Rejects with the picture when the program ends without, or
   * does not get there.
   */
  shows(what: RegExp | string, where?: "screen" | "all"): Promise<string>;
  /** Resolves when it cannot be seen. */
  gone(what: RegExp | string): Promise<void>;
  /** Until the cursor stands in this column: it is put there after the picture is painted. */
  cursorIn(column: number): Promise<void>;
  /** As `exited`. Rejects with the picture when the program does not end. */
  ends(): Promise<Exit>;
  /** Resolves when everything that has come from the program is on the screen. */
  quiet(): Promise<void>;
  /** The program has not noticed it yet. */
  resizeUnheard(columns: number, rows: number): void;
  /** All that it has written, as it came. */
  raw(): string;
};

export type ScreenOptions = Partial<Omit<EmulatorOptions, "reply">> & {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
};

/** The real program, in the world of this test. A test that wants one skips with `noPty`. */
export function onScreen(
  it: Pick<Talaria, "world" | "cwd">,
  words: readonly string[],
  options: ScreenOptions = {},
): Promise<Screen> {
  const { program, env } = it.world;
  return startScreen(program, words, { cwd: it.cwd, ...options, env: { ...env, ...options.env } });
}

/** Any program. It gets no other environment than this, and TERM. */
export async function startScreen(
  command: string,
  args: readonly string[],
  options: ScreenOptions & { readonly cwd: string },
): Promise<Screen> {
  const { columns = 100, rows = 30, keyboard = "old", background = "dark", cwd } = options;
  let raw = "";
  let ended: string | undefined;
  let how: Exit | undefined;
  let news = Promise.withResolvers<void>();
  const tell = (): void => {
    news.resolve();
    news = Promise.withResolvers<void>();
  };
  const picture = emulator({ columns, rows, keyboard, background, reply: (text) => program.write(text) });
  const quiet = (): Promise<void> => new Promise((resolve) => picture.write("", resolve));
  const env = { TERM: "xterm-256color", ...options.env };
  const onText = (text: string): void => {
    raw += text;
    picture.write(text, tell);
  };
  const program = startInPty({ command, args, cwd, env, columns, rows, onText });
  const exited = program.exited.then(async (exit) => {
    await quiet();
    how = exit;
    ended = JSON.stringify(exit);
    tell();
    return exit;
  });

  const text = (): string => joined(picture.rows("screen"));
  const all = (): string => joined(picture.rows("all"));
  /** Looks again whenever something has changed, and never at half a frame. */
  async function until<Found>(wish: string, look: () => Found | undefined): Promise<Found> {
    using limit = timeLimit();
    for (;;) {
      const found = picture.painting && ended === undefined ? undefined : look();
      if (found !== undefined) return found;
      if (ended !== undefined) throw new Error(`It ended with ${ended} and never ${wish}:\n${framed(all())}`);
      if (limit.isOver()) throw new Error(`For a minute it never ${wish}:\n${framed(all())}`);
      await Promise.race([news.promise, limit.over]);
    }
  }

  return {
    ...program,
    exited,
    type: program.write,
    press: (...keys) => keys.forEach((key) => program.write(bytesOf(key, picture.keyboard))),
    paste(pasted) {
      const lines = pasted.replaceAll(/\r?\n/g, "\r");
      program.write(picture.bracketedPaste ? `\u001b[200~${lines}\u001b[201~` : lines);
    },
    resize(newColumns, newRows) {
      picture.resize(newColumns, newRows);
      program.resize(newColumns, newRows);
    },
    resizeUnheard: picture.resize,
    text,
    all,
    cursor: picture.cursor,
    shows: (what, where = "screen") =>
      until(`showed ${what}`, () => {
        const seen = where === "all" ? all() : text();
        return isIn(seen, what) ? seen : undefined;
      }),
    gone: async (what) =>
      void (await until(`was without ${what}`, () => (isIn(text(), what) ? undefined : true))),
    cursorIn: async (column) =>
      void (await until(`had its cursor in column ${column}`, () =>
        picture.cursor().x === column ? true : undefined,
      )),
    ends: () => until("ended", () => how),
    quiet,
    raw: () => raw,
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
      await exited;
      picture[Symbol.dispose]();
    },
  };
}

const joined = (rows: readonly string[]): string => rows.join("\n").replace(/\n+$/, "");

const isIn = (text: string, what: RegExp | string): boolean =>
  typeof what === "string" ? text.includes(what) : text.search(what) >= 0;

const framed = (text: string): string => `┌──\n${text.replaceAll(/^/gm, "│")}\n└──`;

/** What has not come by then never will. */
const patienceMs = 60_000;

function timeLimit(): Disposable & { readonly over: Promise<void>; isOver(): boolean } {
  const stop = new AbortController();
  let isOver = false;
  const over = systemClock.sleep(patienceMs, stop.signal, { hold: true }).then(
    () => void (isOver = true),
    () => {},
  );
  return { over, isOver: () => isOver, [Symbol.dispose]: () => stop.abort() };
}
