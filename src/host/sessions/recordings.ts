import { once } from "node:events";
import { constants, createWriteStream } from "node:fs";
import { mkdir, open, readdir, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import type { Recording } from "../../agent/index.ts";
import { decidedText } from "../../core/asking-words.ts";
import { beginLine, callLine } from "../../core/call-words.ts";
import type { TurnEvent } from "../../core/events.ts";
import type { Handlers } from "../../core/calls.ts";
import { Refusal } from "../../core/host.ts";
import type { TurnId } from "../../core/ids.ts";
import type { Item } from "../../core/items.ts";
import { clean, short } from "../../core/plain-text.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Direction, formatFrame } from "../../runtimes/codex/recording/recording.ts";

/** Recordings as files in a folder, one for each turn, secrets masked. */
export function fileRecordings(
  folder: string,
  clock: Clock,
  redact: (text: string) => string,
): (turn: TurnId) => Promise<Recording> {
  return async (turn) => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, `${turn}.jsonl`);
    const stream = createWriteStream(file, { mode: 0o600 });
    // A recording gives way: a full disk must not end the turn.
    stream.on("error", () => {});
    const start = clock.monotonic();
    return {
      file,
      record: ({ dir, msg }) => {
        const line = formatFrame({ ms: clock.monotonic() - start, dir: dir as Direction, msg });
        stream.write(`${redact(line)}\n`);
      },
      async [Symbol.asyncDispose]() {
        stream.end();
        if (!stream.closed) await once(stream, "close").catch(() => {});
      },
    };
  };
}

/** The recordings of a home as surfaces see them. `cwd`: where a path begins. */
export const recordingAccess = (
  folder: string,
  cwd: string,
): Handlers<"recordings.list" | "recordings.replay"> => ({
  "recordings.list": async ({ limit }) => (await newestFirst(folder)).slice(0, limit),
  async "recordings.replay"({ file }, caller) {
    const place = caller.local ? await placeOf(folder, cwd, file) : await recorded(folder, file);
    const { events, summary } = await replayFile(place);
    return [...lastLines(eventLines(events)), summary];
  },
});

async function newestFirst(
  folder: string,
): Promise<readonly { readonly file: string; readonly at: number }[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith(".jsonl")).map((name) => join(folder, name));
  const found = await Promise.all(
    files.map((file) =>
      stat(file).then(
        (it) => (it.isFile() ? [{ file, at: Math.round(it.mtimeMs) }] : []),
        () => [], // removed just now
      ),
    ),
  );
  return found.flat().toSorted((a, b) => b.at - a.at || (a.file < b.file ? 1 : -1));
}

/** A number counts from the newest; a name is looked for among the recordings; anything else is a path. */
async function placeOf(folder: string, cwd: string, named: string): Promise<string> {
  if (named.includes("/")) return resolve(cwd, named);
  return (await foundIn(folder, named)) ?? resolve(cwd, named);
}

/** Whoever is elsewhere reads recordings, and no other files of this machine. */
async function recorded(folder: string, named: string): Promise<string> {
  const found = await foundIn(folder, named);
  if (found !== undefined) return found;
  throw new Refusal("not_found", "There is no such recording.", "recordings.list has what there is.");
}

async function foundIn(folder: string, named: string): Promise<string | undefined> {
  const known = await newestFirst(folder);
  if (/^\d+$/.test(named)) {
    const found = known[Number(named) - 1];
    if (found !== undefined) return found.file;
    throw new Refusal(
      "not_found",
      known.length === 0
        ? "Nothing has been recorded yet."
        : `There is no recording ${named}, only ${known.length}.`,
      "/record keeps the frames of the next turns, and talaria run --record those of one.",
    );
  }
  const names = [named, `${named}.jsonl`];
  return known.find(({ file }) => names.includes(basename(file)))?.file;
}

const mostLines = 200;

function lastLines(lines: readonly string[]): readonly string[] {
  const missing = lines.length - mostLines;
  return missing <= 0 ? lines : [`[${missing} lines before these are not shown]`, ...lines.slice(-mostLines)];
}

/** What a recording says, from the file alone. */
export async function replayFile(
  file: string,
): Promise<{ readonly events: readonly TurnEvent[]; readonly summary: string }> {
  const text = await textOf(file).catch((error: Error) => {
    throw new Refusal(
      "usage",
      `${file} cannot be read: ${error.message}.`,
      "Name a file that --record has written.",
    );
  });
  const { replay } = await import("../../runtimes/codex/recording/replay.ts");
  const { turns, summary } = replay(text.split("\n"));
  return { events: turns.flatMap((turn) => turn.events), summary };
}

/** Without waiting: a pipe that nobody writes to would hold up all work with files. */
async function textOf(file: string): Promise<string> {
  await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  if (!(await handle.stat()).isFile()) throw new Error("it is no file");
  return handle.readFile("utf8");
}

/** Turns that are over, as plain lines: what was said, each call, and what did not go the ordinary way. */
export function eventLines(events: readonly TurnEvent[]): readonly string[] {
  const unfinished = new Map<string, string>();
  const lines: string[] = [];
  const leftOver = (): void => {
    for (const text of unfinished.values()) lines.push(...textLines(text));
    unfinished.clear();
  };
  for (const event of events) {
    if (event.type === "delta" && event.of === "text")
      unfinished.set(event.item, (unfinished.get(event.item) ?? "") + event.text);
    if (event.type === "item") unfinished.delete(event.item.id);
    if (event.type === "ended") leftOver();
    lines.push(...linesOf(event));
  }
  leftOver();
  return lines;
}

function linesOf(event: TurnEvent): readonly string[] {
  switch (event.type) {
    case "started":
      return [`· ${clean(event.runtime)}, ${clean(event.model)}, ${clean(event.cwd)}`];
    case "begin":
      return event.item.kind === "call" ? [beginLine(event.item)] : [];
    case "item":
      return itemLines(event.item);
    case "notice":
      return [`· ${clean(event.text)}`];
    case "status":
      return event.state === "retrying" ? [`· ${clean(event.text ?? "trying again")}`] : [];
    case "ended":
      return [
        ...(event.fault === undefined ? [] : [`${clean(event.fault.message)} ${clean(event.fault.next)}`]),
        `· ${event.outcome}`,
      ];
    case "approval":
      return [`· ${decidedText(event.approval) ?? `asked: ${short(event.approval.question.summary, 160)}`}`];
    case "delta":
    case "inquiry":
    case "usage":
      return [];
  }
}

function itemLines(item: Item): readonly string[] {
  switch (item.kind) {
    case "text":
    case "note":
      return textLines(item.text);
    case "call":
      return [callLine(item)];
    case "thinking":
      return [];
  }
}

const textLines = (text: string): readonly string[] => clean(text.trimEnd()).split("\n");
