import { existsSync } from "node:fs";
import { absoluteFolders } from "./files/absolute-path.ts";
import type { Clock } from "./clock.ts";
import { type CommandResult, runCommand } from "./process/command.ts";
import { SpawnError } from "./process/spawn-error.ts";
import { type Variables, setVariables } from "./process/variables.ts";

export type Git = (args: readonly string[], maxOutputBytes?: number) => Promise<CommandResult>;

const patienceMs = 20_000;

/**
 * Git for looking, in a folder that may be anybody's: whatever its settings name as a program is not run. `undefined`:
 * there is no git. Rejects when a setting cannot be switched off, or with the signal's reason.
 */
export async function readOnlyGit(
  cwd: string,
  env: Variables,
  clock: Clock,
  signal: AbortSignal,
  timeoutMs = patienceMs,
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

/** An empty name switches a program off. `diff` would refresh the index even without optional locks. */
const settingsOff = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "protocol.ext.allow=never",
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

/** What it needs of ours: no key, and nothing that would lead elsewhere, ask, write or reach for a network. */
function gitEnvironment(env: Variables): Record<string, string> {
  return {
    ...setVariables(env, (name) => passed.includes(name)),
    PATH: absoluteFolders(env["PATH"] ?? ""),
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ALLOW_PROTOCOL: "none",
    GIT_NO_LAZY_FETCH: "1",
    LC_ALL: "C",
  };
}

const passed = [
  ["HOME", "USER", "LOGNAME", "TMPDIR", "XDG_CONFIG_HOME"],
  ["GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM"],
  ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"],
].flat();
