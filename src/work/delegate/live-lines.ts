import { argumentWords, callDetail, withoutShell } from "../../core/call-words.ts";
import type { OpenItem } from "../../core/items.ts";
import { isPlainObject } from "../../core/json.ts";
import { counted, short } from "../../core/plain-text.ts";

/** ▸ works · ? waits for a person · … waits in line · ✓ done · ✗ failed · ■ stopped */
type Mark = "▸" | "?" | "…" | "✓" | "✗" | "■";

/** What a screen shows of a task while it is done: a line for each change. */
export type LiveLines = (mark: Mark, text: string) => void;

/** After that many lines only the end is shown. */
const mostLines = 200;
const longestLine = 160;

export function liveLines(
  progress: ((text: string) => void) | undefined,
  number: number,
  runtime: string,
): LiveLines {
  let last = "";
  let shown = 0;
  return (mark, text) => {
    const line = short(`${number} ${mark} ${runtime} · ${text}`, longestLine);
    const isEnd = mark === "✓" || mark === "✗" || mark === "■";
    if (line === last || (shown >= mostLines && !isEnd)) return;
    last = line;
    shown += 1;
    progress?.(`${line}\n`);
  };
}

/** What a call does, in a few words: `read_file src/a.ts`. */
export function callWords({ tool = "tool", args }: Pick<OpenItem, "tool" | "args">): string {
  const fields = isPlainObject(args) ? args : {};
  const known = [fields["command"], fields["cmd"], fields["path"], fields["query"]];
  const first = known.find((value) => typeof value === "string");
  const words = first === undefined ? (callDetail(tool, args) ?? argumentWords(args)) : withoutShell(first);
  return short(`${tool} ${words}`, 100);
}

/** `4 calls, 1.2k tokens` */
export const amounts = ({ calls, tokens }: { readonly calls: number; readonly tokens: number }): string =>
  `${counted(calls, "call")}, ${tokens < 1000 ? tokens : `${(tokens / 1000).toFixed(1)}k`} tokens`;
