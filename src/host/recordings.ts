import { createWriteStream } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { once } from "node:events";
import type { Recording } from "../agent/index.ts";
import type { TurnEvent } from "../core/events.ts";
import { Refusal } from "../core/host.ts";
import type { TurnId } from "../core/ids.ts";
import type { Clock } from "../lib/clock.ts";
import { type Direction, formatFrame } from "../runtimes/codex/recording/recording.ts";

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
  const { replay } = await import("../runtimes/codex/recording/replay.ts");
  const { turns, summary } = replay(text.split("\n"));
  return { events: turns.flatMap((turn) => turn.events), summary };
}
