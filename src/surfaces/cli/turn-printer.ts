import type { Writable } from "node:stream";
import { shellAdvice } from "../../core/advice.ts";
import { beginLine, callLine } from "../../core/call-words.ts";
import type { Envelope } from "../../core/events.ts";
import type { Item } from "../../core/items.ts";
import { asId } from "../../core/ids.ts";
import { clean } from "../../core/plain-text.ts";
import type { Typed } from "./action.ts";
import type { ExitCode } from "./ports.ts";

export type PrinterOptions = {
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Only the answer, without tool lines. */
  readonly quiet: boolean;
  readonly color: boolean;
  /** Next steps in the words of the place where they are read; of a shell unless said. */
  readonly advice?: (next: string) => string;
};

/** Shows a turn as plain lines: the answer on stdout as it comes, everything about it on stderr. */
export function turnPrinter({
  stdout,
  stderr,
  quiet,
  color,
  advice = shellAdvice,
}: PrinterOptions): (event: Envelope) => void {
  const streamed = new Set<string>();
  const tasks = taskLines();
  let lineOpen = false;
  const faint = (text: string): string => (color ? `\u001B[2m${text}\u001B[22m` : text);
  const writeNote = (text: string): void => {
    closeLine();
    stderr.write(`${faint(text)}\n`);
  };
  const closeLine = (): void => {
    if (lineOpen) stdout.write("\n");
    lineOpen = false;
  };
  const showItem = (item: Item): void => {
    if (item.kind === "call" && !quiet) writeNote(callLine(item));
    if (item.kind === "note" && !quiet) writeNote(clean(item.text));
    if (item.kind !== "text") return;
    if (!streamed.has(item.id)) {
      closeLine();
      stdout.write(clean(item.text));
    }
    lineOpen = !item.text.endsWith("\n");
    closeLine();
  };
  return (event) => {
    if (event.type === "delta" && event.of === "text") {
      streamed.add(event.item);
      stdout.write(clean(event.text));
      lineOpen = true;
    }
    if (event.type === "begin" && event.item.kind === "call" && !quiet) writeNote(beginLine(event.item));
    for (const line of tasks(event)) if (!quiet) writeNote(`  ${clean(line)}`);
    if (event.type === "item") showItem(event.item);
    if (event.type === "notice") writeNote(`· ${clean(event.text)}`);
    if (event.type === "status" && event.state === "retrying" && !quiet)
      writeNote(`· ${clean(event.text ?? "trying again")}`);
    if (event.type === "ended") {
      closeLine();
      const { fault, outcome } = event;
      if (fault !== undefined)
        stderr.write(`talaria: ${clean(fault.message)}\n         ${clean(advice(fault.next))}\n`);
      if (outcome === "interrupted") writeNote("· interrupted; what was finished is kept");
      if (outcome === "unconfirmed") writeNote("· it probably finished, but that could not be confirmed");
    }
  };
}

/** Whole lines of what a call that hands tasks on tells about them while it runs. Other output is only in the result. */
function taskLines(): (event: Envelope) => readonly string[] {
  const unfinished = new Map<string, string>();
  return (event) => {
    if (event.type === "begin" && event.item.tool === "delegate_task") unfinished.set(event.item.id, "");
    if (event.type === "item") unfinished.delete(event.item.id);
    if (event.type !== "delta" || event.of !== "output") return [];
    const before = unfinished.get(event.item);
    if (before === undefined) return [];
    const lines = (before + event.text).split("\n");
    unfinished.set(event.item, lines.pop() ?? "");
    return lines;
  };
}

/** `talaria replay FILE`: a recording, shown as the turns were. */
export async function replayRecording({ ports, words: [file = ""], options }: Typed): Promise<ExitCode> {
  const client = await ports.openBare(options);
  const { events, summary } = await client.call("recordings.read", { file });
  const show = turnPrinter({ ...ports, quiet: false, color: false });
  const ids = { v: 1, session: asId<"ses">(""), turn: asId<"trn">("") } as const;
  for (const [at, event] of events.entries()) {
    if (options.json === true) ports.stdout.write(`${JSON.stringify(event)}\n`);
    if (options.json !== true) show({ ...ids, seq: at + 1, ...event } as Envelope);
  }
  ports.stdout.write(`${summary}\n`);
  return 0;
}
