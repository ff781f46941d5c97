import { access, realpath, stat, rm } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import type { SessionId } from "../../core/ids.ts";
import type { Clock } from "../../lib/clock.ts";
import { ownTempFolder, removeLeftTempFolders } from "../../lib/files/own-temp-folder.ts";
import { type Child, type ProcessRegistry, spawnChild } from "../../lib/process/child.ts";
import { newMark } from "../../lib/process/process-mark.ts";
import type { Redactor } from "../../lib/redact/redact.ts";
import { isInside } from "../../lib/sandbox/paths.ts";
import type { ActiveSandbox, WrappedCommand, Sandbox } from "../../lib/sandbox/sandbox.ts";
import type { ToolContext } from "../tool.ts";
import { shellEnvironment } from "./shell-environment.ts";

/** The settings under which commands of a model run. */
export type ShellDeps = {
  readonly sandbox: () => Promise<Sandbox>;
  /** `auto`: sandboxed, the folder may be written · `approval-required`: sandboxed, it may only be read · `unrestricted`: no sandbox */
  readonly securityMode: "auto" | "approval-required" | "unrestricted";
  readonly network: boolean;
  /** Of it a command sees what `shellEnvironment` says. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The terminal in which somebody typed for this session, where that is another one than ours. */
  readonly terminalOf?: (session: SessionId) => Readonly<Record<string, string | undefined>> | undefined;
  /** Names of variables that commands get although they look like something that they should not. */
  readonly passEnv: readonly string[];
  /** Files and folders that no sandboxed command can read. */
  readonly hidden: readonly string[];
  /** Files and folders that no sandboxed command can change, wherever it works. */
  readonly locked: readonly string[];
  readonly processes: ProcessRegistry;
  /** Marks whatever a command starts, so that it is found when this process is gone. */
  readonly childVariable: string;
  readonly clock: Clock;
  /** Masks what commands write, before anything of it is left out. */
  readonly redact: Redactor;
  readonly scratch: Scratch;
};

/** What exactly would be run, and where. `unsandboxed`: why it runs outside of any sandbox. */
export type ShellPlan = {
  readonly command: string;
  readonly cwd: string;
  readonly folder: string;
  readonly session: SessionId;
  /** What this turn is not to see, besides what no turn does. */
  readonly hidden: readonly string[];
  /** Somebody is there, and it is the environment of their terminal. */
  readonly attended?: true;
} & ({ readonly sandbox: ActiveSandbox } | { readonly unsandboxed: string });

export type ShellRequest = {
  readonly command: string;
  readonly cwd?: string | undefined;
  readonly escalate?: boolean | undefined;
};

export async function planShell(
  request: ShellRequest,
  { session, cwd, attended, hidden = [] }: Pick<ToolContext, "session" | "cwd" | "attended" | "hidden">,
  { sandbox, securityMode }: ShellDeps,
): Promise<ShellPlan | { readonly refused: string }> {
  const folder = await realpath(cwd);
  const path = await folderFor(folder, request.cwd ?? ".");
  if (typeof path !== "string") return path;
  const plan = {
    command: request.command,
    cwd: path,
    folder,
    session,
    hidden,
    ...(attended && { attended }),
  };
  if (securityMode === "unrestricted") {
    return {
      ...plan,
      unsandboxed: "It runs without a sandbox, because terminal.security_mode is unrestricted.",
    };
  }
  const found = await sandbox();
  if (found.kind === "none")
    return { ...plan, unsandboxed: `There is no sandbox to run it in: ${found.why}.` };
  if (request.escalate === true) return { ...plan, unsandboxed: "It would run outside the sandbox." };
  return { ...plan, sandbox: found };
}

async function folderFor(folder: string, wanted: string): Promise<string | { readonly refused: string }> {
  const path = await realpath(resolve(folder, wanted)).catch(() => undefined);
  const isFolder = path !== undefined && (await stat(path)).isDirectory();
  if (!isFolder)
    return { refused: `${wanted} is not a folder. Give an existing one as cwd, or leave it out.` };
  if (isAbsolute(wanted) || isInside(path, folder)) return path;
  return {
    refused: `${wanted} leads out of the working folder. Give cwd as an absolute path if that is meant.`,
  };
}

/**
 * Starts it. What the command writes comes from `stdout`, errors included, in the order it was written; only the
 * sandbox itself can write to `stderr`.
 */
export async function startShell(plan: ShellPlan, deps: ShellDeps, signal?: AbortSignal): Promise<Child> {
  const shell = ["/bin/sh", "-c", 'exec "$@" 2>&1', "sh", await bash(), "-c", plan.command];
  const sandboxed = "sandbox" in plan;
  const env = shellEnvironment(environmentOf(plan, deps), { sandboxed, ...attendedBy(plan, deps) });
  return spawnChild({
    ...(sandboxed ? await wrapInSandbox(shell, env, plan, deps) : unwrapped(shell, env)),
    cwd: plan.cwd,
    mark: newMark(deps.childVariable),
    kind: "terminal",
    registry: deps.processes,
    clock: deps.clock,
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Of the terminal that the session was typed in, where that is known; else ours, which a person has started. */
const environmentOf = ({ attended, session }: ShellPlan, { env, terminalOf }: ShellDeps): ShellDeps["env"] =>
  (attended && terminalOf?.(session)) ?? env;

const attendedBy = ({ attended }: ShellPlan, { passEnv, redact }: ShellDeps) =>
  attended && { attended: { named: passEnv, isSecret: (value: string) => redact(value) !== value } };

const bash = (): Promise<string> =>
  access("/bin/bash").then(
    () => "/bin/bash",
    () => "/bin/sh",
  );

const unwrapped = (
  [command = "", ...args]: readonly string[],
  env: WrappedCommand["env"],
): WrappedCommand => ({
  command,
  args,
  env,
});

async function wrapInSandbox(
  shell: readonly string[],
  env: WrappedCommand["env"],
  { cwd, folder, session, hidden: unseen, sandbox }: ShellPlan & { readonly sandbox: ActiveSandbox },
  { securityMode, network, hidden, locked, scratch }: ShellDeps,
): Promise<WrappedCommand> {
  const tmp = await scratch.folder(session);
  return sandbox.wrap(shell, env, {
    cwd,
    folder,
    writable: securityMode === "auto",
    network,
    hidden: [...hidden, ...unseen],
    locked,
    tmp,
  });
}

/**
 * A folder for each session, for what its commands need only for a while. Disposing removes them all; those of processes that were
 * killed go when the first one is made.
 */
type Scratch = AsyncDisposable & { folder(session: SessionId): Promise<string> };

export function scratchFolders(): Scratch {
  const folders = new Map<SessionId, Promise<string>>();
  let swept: Promise<void> | undefined;
  return {
    folder(session) {
      swept ??= removeLeftTempFolders();
      const folder = folders.get(session) ?? ownTempFolder("scratch");
      folders.set(session, folder);
      return folder;
    },
    async [Symbol.asyncDispose]() {
      const made = await Promise.allSettled(folders.values());
      await swept;
      for (const folder of made)
        if (folder.status === "fulfilled") await rm(folder.value, { recursive: true, force: true });
    },
  };
}
