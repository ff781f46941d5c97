import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { findCodex } from "../../runtimes/codex/process/binary.ts";
import { systemClock } from "../clock.ts";
import { type CommandResult, runCommand } from "../process/command.ts";
import { type ActiveSandbox, type FindSandbox, type Limits, findSandbox } from "./sandbox.ts";

const root = join(import.meta.dirname, "../../..");
const signal = AbortSignal.timeout(120_000);

/** The program codex that the tests use. */
export async function codexBinary(): Promise<string> {
  const found = await findCodex({
    configured: join(root, "node_modules/.bin/codex"),
    env: process.env,
    ownRoot: root,
    clock: systemClock,
    signal,
  });
  assert.ok("path" in found, "codex was not found");
  return found.path;
}

/** A PATH on which there is a bwrap: the system's, else the one that codex brings along. */
export async function pathWithBubblewrap(): Promise<string> {
  return `${process.env["PATH"]}:${join(await codexBinary(), "../../codex-resources")}`;
}

/** A sandbox that works here, or why this machine allows none. That ours is broken is no such reason. */
export async function realFence(kind: ActiveSandbox["kind"], home: string): Promise<ActiveSandbox | string> {
  const options: Record<ActiveSandbox["kind"], Partial<FindSandbox>> = {
    codex: { codex: { binary: await codexBinary(), home } },
    bubblewrap: { env: { PATH: await pathWithBubblewrap() } },
  };
  const sandbox = await findSandbox({
    env: { PATH: "/usr/bin:/bin" },
    clock: systemClock,
    signal,
    ...options[kind],
  });
  if (sandbox.kind !== "none") return sandbox;
  assert.equal(await allowsFences(), false, sandbox.why);
  return sandbox.why;
}

/** Does bubblewrap work here when it is asked for next to nothing? */
async function allowsFences(): Promise<boolean> {
  const args = ["-c", "exec bwrap --unshare-pid --unshare-net --ro-bind / / --proc /proc true"];
  const env = { PATH: await pathWithBubblewrap() };
  return (
    (await runCommand({ command: "/bin/sh", args, cwd: root, env, clock: systemClock, signal })).code === 0
  );
}

/** Folders for one test. Not under /tmp, which codex lets a command write; the checkout itself may be there. */
export async function fencedFolders() {
  const cache = root.startsWith("/tmp/") ? "/var/tmp" : join(root, "node_modules/.cache");
  await mkdir(cache, { recursive: true });
  const base = await mkdtemp(join(await realpath(cache), "talaria-fence-"));
  const paths = {
    base,
    folder: join(base, "folder"),
    outside: join(base, "outside"),
    tmp: join(base, "tmp"),
    home: join(base, "home"),
  };
  for (const path of Object.values(paths)) await mkdir(path, { recursive: true });
  return { ...paths, [Symbol.asyncDispose]: () => rm(base, { recursive: true, force: true, maxRetries: 5 }) };
}
export type Folders = Awaited<ReturnType<typeof fencedFolders>>;

export async function runFenced(
  active: ActiveSandbox,
  { folder, tmp, home }: Folders,
  script: string,
  more: Partial<Limits> = {},
): Promise<CommandResult> {
  const limits = {
    cwd: folder,
    folder,
    writable: true,
    network: false,
    hidden: [],
    locked: [],
    tmp,
    ...more,
  };
  const env = { PATH: "/usr/bin:/bin", HOME: home, SHLVL: "1" };
  const wrapped = await active.wrap(["/bin/bash", "-c", `exec 2>&1; ${script}`], env, limits);
  return runCommand({ ...wrapped, cwd: limits.cwd, clock: systemClock, signal });
}
