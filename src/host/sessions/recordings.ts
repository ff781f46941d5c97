import { createWriteStream } from "node:fs";
import { mkdir, readFile, readdir, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { once } from "node:events";
import type { Recording } from "../../agent/index.ts";
import type { TurnEvent } from "../../core/events.ts";
import { type Recordings, Refusal } from "../../core/host.ts";
import type { TurnId } from "../../core/ids.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Direction, formatFrame } from "../../runtimes/codex/recording/recording.ts";
import { eventLines } from "./event-lines.ts";

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
export function recordingAccess(folder: string, cwd: string): Recordings {
  const list: Recordings["list"] = async (limit) => (await newestFirst(folder)).slice(0, limit);
  return {
    list,
    async replay(named) {
      const { events, summary } = await replayFile(await placeOf(folder, cwd, named));
      return [...lastLines(eventLines(events)), summary];
    },
  };
}

async function newestFirst(
  folder: string,
): Promise<readonly { readonly file: string; readonly at: number }[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith(".jsonl")).map((name) => join(folder, name));
  const found = await Promise.all(
    files.map((file) =>
      stat(file).then(
        ({ mtimeMs }) => [{ file, at: Math.round(mtimeMs) }],
        () => [], // removed just now
      ),
    ),
  );
  return found.flat().toSorted((a, b) => b.at - a.at || (a.file < b.file ? 1 : -1));
}

/** A number counts from the newest; a name is looked for among the recordings; anything else is a path. */
async function placeOf(folder: string, cwd: string, named: string): Promise<string> {
  if (named.includes("/")) return resolve(cwd, named);
  const known = await newestFirst(folder);
  if (/^\d+$/.test(named)) {
    const found = known[Number(named) - 1];
    if (found !== undefined) return found.file;
    throw new Refusal(
      "not_found",
      known.length === 0
        ? "Nothing was recorded yet."
        : `There is no recording ${named}, only ${known.length}.`,
      "/record keeps the frames of the next turns, and talaria run --record those of one.",
    );
  }
  const names = [named, `${named}.jsonl`];
  return known.find(({ file }) => names.includes(basename(file)))?.file ?? resolve(cwd, named);
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
  const text = await readFile(file, "utf8").catch((error: Error) => {
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
