import { existsSync } from "node:fs";
import type { Clock } from "../lib/clock.ts";
import { type CommandResult, runCommand } from "../lib/command.ts";
import { SpawnError } from "../lib/spawn-error.ts";

export type Git = (args: readonly string[], maxOutputBytes?: number) => Promise<CommandResult>;

const timeoutMs = 20_000;

/**
 * Git for looking, in a folder that may be anybody's: whatever its settings name as a program is not run. `undefined`:
 * there is no git. Rejects when a setting cannot be switched off, or with the signal's reason.
 */
export async function lookingGit(
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
  clock: Clock,
  signal: AbortSignal,
): Promise<Git | undefined> {
  const run =
    (settings: readonly string[]): Git =>
    (args, maxOutputBytes) =>
      runCommand({
        command: "git",
        args: ["--no-pager", ...settings.flatMap((setting) => ["-c", setting]), ...args],
        cwd,
        env: gitEnvironment(env),
        clock,
        signal,
        timeoutMs,
        ...(maxOutputBytes === undefined ? {} : { maxOutputBytes }),
      });
  const plain = run(settingsOff);
  const listed = await plain(["config", "-z", "--name-only", "--get-regexp", "^filter\\."]).catch(
    (error: unknown) => {
      signal.throwIfAborted();
      // The same code stands for a missing folder.
      if (error instanceof SpawnError && error.code === "ENOENT" && existsSync(cwd)) return undefined;
      throw error;
    },
  );
  if (listed === undefined) return undefined;
  if (listed.timedOut || listed.truncated) throw new Error("its settings cannot be read");
  return run([...settingsOff, ...filtersOff(listed.stdout)]);
}

/** An empty name of a program is none. `diff` would write the index anew, whatever is said about locks. */
const settingsOff = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "diff.external=",
  "diff.autoRefreshIndex=false",
];

/** Filters are named by the repository, so each has to be switched off by its name. */
function filtersOff(listed: string): readonly string[] {
  const keys = listed.split("\0").filter((key) => key !== "");
  const drivers = [...new Set(keys.map((key) => key.slice(0, key.lastIndexOf("."))))];
  const bad = drivers.find((driver) => driver.includes("="));
  if (bad !== undefined) throw new Error(`its settings have a filter that cannot be switched off: ${bad}`);
  return drivers.flatMap((driver) => [
    `${driver}.clean=`,
    `${driver}.smudge=`,
    `${driver}.process=`,
    `${driver}.required=false`,
  ]);
}

/** As the person has it, without what would lead elsewhere, ask something, write something or reach for a network. */
function gitEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || misleading.has(name) ? [] : [[name, value] as const],
  );
  return {
    ...Object.fromEntries(kept),
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ALLOW_PROTOCOL: "none",
    GIT_NO_LAZY_FETCH: "1",
    LC_ALL: "C",
  };
}

const misleading: ReadonlySet<string> = new Set([
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_EXTERNAL_DIFF",
  "GIT_DIFF_OPTS",
  "GIT_CONFIG",
  "GIT_CONFIG_PARAMETERS",
  "GIT_CONFIG_COUNT",
]);
