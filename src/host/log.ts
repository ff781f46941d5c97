import { appendFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../lib/clock.ts";

/** Appends to the log file, secrets masked. Logging gives way first: a full disk must not end a turn. */
export function fileLog(
  folder: string,
  clock: Clock,
  redact: (text: string) => string,
): (line: string) => void {
  let tail = Promise.resolve();
  return (line) => {
    const text = `${new Date(clock.now()).toISOString()} ${redact(line)}\n`;
    tail = tail
      .then(() => mkdir(folder, { recursive: true, mode: 0o700 }))
      .then(() => appendFile(join(folder, "talaria.log"), text, { mode: 0o600 }))
      .catch(() => {});
  };
}
