import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { type Host, Refusal, type ShellResult, type ShellRun } from "../../core/host.ts";
import { type Child, spawnChild } from "../../lib/process/child.ts";
import { newMark } from "../../lib/process/process-mark.ts";
import { SpawnError } from "../../lib/process/spawn-error.ts";
import { childVariable } from "../../runtimes/codex/process/child-variable.ts";
import type { Closing } from "../closing.ts";
import type { Foundation } from "../foundation.ts";
import { maskedStream } from "./masked-stream.ts";

/** `env`: as it was when the program was started; keys from .env are not in it. */
type Sources = Pick<Foundation, "env" | "processes" | "clock" | "redact"> & { readonly closing: Closing };

/** In characters. */
const keptOutput = 64 * 1024;

/** Runs commands of the person themselves: in their shell, with their environment, outside any sandbox. */
export const ownCommand =
  (sources: Sources): Host["shell"] =>
  async (run) => {
    const signal = AbortSignal.any([run.signal, sources.closing.signal]);
    const output = maskedStream(sources.redact, keptOutput, run.onOutput);
    const running = sources.closing.track(toItsEnd(sources, run, signal, output.add));
    const exit = await running.catch((error: unknown) => {
      if (signal.aborted) return { code: null, signal: "SIGTERM" } as const;
      if (error instanceof SpawnError) throw new Refusal("usage", error.message, "Nothing was run.", error);
      throw error;
    });
    return { ...endOf(exit), ...output.end() };
  };

type Exit = Pick<Awaited<Child["exited"]>, "code" | "signal">;

async function toItsEnd(
  { env, processes, clock }: Sources,
  { command, cwd }: ShellRun,
  signal: AbortSignal,
  add: (chunk: Uint8Array) => void,
): Promise<Exit> {
  await using child = await spawnChild({
    command: "/bin/sh",
    // One pipe for both streams, or their order would be lost.
    args: ["-c", 'exec "$@" 2>&1', "sh", await shellOf(env), "-c", command],
    cwd,
    env: Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
    mark: newMark(childVariable),
    kind: "own command",
    registry: processes,
    signal,
    clock,
  });
  child.closeInput();
  for await (const chunk of child.stdout) add(chunk);
  return await child.exited;
}

async function shellOf(env: Sources["env"]): Promise<string> {
  const own = env["SHELL"] ?? "";
  if (!isAbsolute(own)) return "/bin/sh";
  return access(own, constants.X_OK).then(
    () => own,
    () => "/bin/sh",
  );
}

const endOf = ({ code, signal }: Exit): Pick<ShellResult, "exitCode" | "signal"> => ({
  ...(code === null ? {} : { exitCode: code }),
  ...(signal === null ? {} : { signal }),
});
