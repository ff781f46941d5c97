import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { isAbsolute } from "node:path";
import type { Handlers, InputOf } from "../../core/calls.ts";
import { Refusal, type ShellResult } from "../../core/host.ts";
import { type Child, spawnChild } from "../../lib/process/child.ts";
import { newMark } from "../../lib/process/process-mark.ts";
import { SpawnError } from "../../lib/process/spawn-error.ts";
import { setVariables } from "../../lib/process/variables.ts";
import { childVariable } from "../../runtimes/codex/process/child-variable.ts";
import type { Closing } from "../closing.ts";
import type { Foundation } from "../foundation.ts";
import { maskedStream } from "./masked-stream.ts";

/** `env`: as it was when the program was started; keys from .env are not in it. */
type Sources = Pick<Foundation, "env" | "processes" | "clock" | "redact"> & { readonly closing: Closing };

/** In characters. */
const keptOutput = 64 * 1024;

/** Runs commands of the person themselves: in their shell, with their environment, outside any sandbox. */
export const ownCommand = (sources: Sources): Handlers<"shell.run">["shell.run"] =>
  async function* (run, caller, stopped) {
    const { closing, redact } = sources;
    const { terminal = sources.env } = caller;
    const signal = AbortSignal.any([closing.signal, ...(stopped === undefined ? [] : [stopped])]);
    let told = "";
    const output = maskedStream(redact, keptOutput, (text) => (told += text));
    const untold = function* () {
      if (told !== "") yield { text: told };
      told = "";
    };
    let exit: Exit;
    try {
      const chunks = toItsEnd({ ...sources, env: terminal }, run, signal);
      let next = await chunks.next();
      for (; next.done !== true; next = await chunks.next()) {
        output.add(next.value);
        yield* untold();
      }
      exit = next.value;
    } catch (error) {
      if (error instanceof SpawnError && !signal.aborted)
        throw new Refusal("usage", error.message, "Nothing was run.", error);
      if (!signal.aborted) throw error;
      exit = { code: null, signal: "SIGTERM" };
    }
    const result = { ...endOf(exit), ...output.end() };
    yield* untold();
    yield result;
  };

type Exit = Pick<Awaited<Child["exited"]>, "code" | "signal">;

async function* toItsEnd(
  { env, processes, clock, closing }: Sources,
  { command, cwd }: InputOf<"shell.run">,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, Exit, void> {
  const spawning = spawnChild({
    command: "/bin/sh",
    // One pipe for both streams, or their order would be lost.
    args: ["-c", 'exec "$@" 2>&1', "sh", await shellOf(env), "-c", command],
    cwd,
    env: setVariables(env),
    mark: newMark(childVariable),
    kind: "own command",
    registry: processes,
    signal,
    clock,
  });
  // Nobody need read to its end for it to be gone when the host is.
  void closing.track(spawning.then((child) => child.exited.then(() => child[Symbol.asyncDispose]())));
  await using child = await spawning;
  child.closeInput();
  yield* child.stdout;
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
