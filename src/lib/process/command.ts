import { spawnChild } from "./child.ts";
import type { ChildExit, SpawnOptions } from "./child.ts";
import { timeLimit } from "../clock.ts";

const defaultOutputBytes = 1024 * 1024;

export type CommandOptions = Pick<SpawnOptions, "command" | "args" | "cwd" | "env" | "clock"> &
  Partial<Pick<SpawnOptions, "kind" | "registry" | "tidy">> & {
    readonly signal: AbortSignal;
    readonly timeoutMs?: number;
    /** How much of stdout is kept, from its start. Of stderr the last 64 KiB are. */
    readonly maxOutputBytes?: number;
  };

export type CommandResult = Pick<ChildExit, "code" | "signal"> & {
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  readonly timedOut: boolean;
};

/**
 * Runs a program without input to its end; whatever it started is gone when this settles. An exit code is a result, not
 * an error. Rejects with `SpawnError`, or with the signal's reason after an abort.
 */
export async function runCommand(options: CommandOptions): Promise<CommandResult> {
  const { signal, clock, timeoutMs } = options;
  const why = new Error(`The command did not end within ${timeoutMs} ms and was killed.`);
  using late = timeoutMs === undefined ? undefined : timeLimit(clock, timeoutMs, { why, hold: true });
  await using child = await spawnChild({
    kind: "command",
    registry: unregistered,
    ...options,
    signal: late === undefined ? signal : AbortSignal.any([signal, late.signal]),
  });
  child.closeInput();
  const output = await collect(child.stdout, options.maxOutputBytes ?? defaultOutputBytes);
  const exit = await child.exited;
  signal.throwIfAborted();
  return {
    code: exit.code,
    signal: exit.signal,
    stdout: output.text,
    stderr: exit.stderrTail,
    truncated: output.cut || exit.stderrCut,
    timedOut: late?.signal.aborted === true,
  };
}

const unregistered = { add: async () => {}, remove: async () => {} };

/** Reads to the end, so that the program is never held up, and keeps the start. */
async function collect(
  source: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<{ readonly text: string; readonly cut: boolean }> {
  const kept: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of source) {
    if (total < limit) kept.push(chunk.subarray(0, limit - total));
    total += chunk.length;
  }
  return { text: Buffer.concat(kept).toString("utf8"), cut: total > limit };
}
