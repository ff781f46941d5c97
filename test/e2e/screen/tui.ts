import assert from "node:assert/strict";
import type { Talaria } from "../talaria.ts";
import { type Screen, type ScreenOptions, onScreen } from "./screen.ts";

/** The chat on a whole terminal of 80×24, when one can type. */
export async function chatOn(
  it: Pick<Talaria, "world" | "cwd">,
  words: readonly string[] = [],
  options: ScreenOptions = {},
): Promise<Chat> {
  const screen = await onScreen(it, words, { columns: 80, rows: 24, ...options });
  await screen.shows(statusLine);
  return { ...screen, say: (text) => say(screen, text) };
}

export type Chat = Screen & {
  /** Types it and presses Enter, as fast as a program can. */
  say(text: string): void;
};

function say(screen: Screen, text: string): void {
  screen.type(text);
  screen.press("enter");
}

/** The model and the runtime: they are known once the host is open. */
export const statusLine = /^(?:.* · )?[\w.-]+ · (?:loop|codex)\b.*$/m;

/** What stands between the two lines that the prompt is in. */
export function promptOf(screen: Pick<Screen, "text">): string {
  const rows = screen.text().split("\n");
  const [to = -1, from = -1] = rows.flatMap((row, at) => (isRule(row) ? [at] : [])).toReversed();
  return rows.slice(from + 1, to).join("\n");
}

const isRule = (row: string): boolean => /^─+(?: [↑↓] \d+ more )?─+$/.test(row);

export const escape = "\u001b";

/** A line of sh in the folder where the program works. */
export async function shell(it: Pick<Talaria, "shell">, line: string): Promise<string> {
  const { finished } = await it.shell(line);
  const { code, stdout, stderr } = await finished;
  assert.equal(code, 0, stderr);
  return stdout;
}

/** A turn runs as long as this is seen. */
export const running = "Ctrl+C stops";

/** A question has been there for a second, so what is pressed now is meant for it. */
export async function seenForASecond(screen: Pick<Screen, "text" | "shows">): Promise<void> {
  // The panel is there before the line says so: until then the line counts something else.
  await screen.shows(/waiting · \d+ s/);
  const seconds = Number(/waiting · (\d+) s/.exec(screen.text())?.[1] ?? 0);
  const later = Array.from({ length: 60 }, (_, more) => seconds + 2 + more);
  await screen.shows(new RegExp(`waiting · (?:${later.join("|")}) s`));
}
