import { access, constants, realpath } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { type CommandOptions, runCommand } from "../process/command.ts";
import type { ActiveSandbox, Limits } from "./sandbox.ts";
import { existing, isFolder, isInside, obeyedIn, outermost } from "./paths.ts";

/** The sandbox of the `bwrap` on the PATH. Undefined: there is none. */
export async function bubblewrapSandbox(
  env: Readonly<Record<string, string | undefined>>,
): Promise<ActiveSandbox | undefined> {
  const program = await onPath("bwrap", env["PATH"] ?? "");
  if (program === undefined) return undefined;
  return {
    kind: "bubblewrap",
    program,
    gaps: [
      "Programs that listen on a socket file outside /tmp and /run can be reached from inside.",
      "A hidden file that has a second name (a hard link) can be read by that name.",
    ],
    wrap: async (command, own, limits) => ({
      command: program,
      args: [...apart, ...(await mounts(limits)), "--", ...command],
      env: { ...own, TMPDIR: "/tmp" },
    }),
  };
}

/** Can it start a program under another name than that of its file? Codex needs that to start its helper from anywhere. */
export async function startsByName(
  program: string,
  how: Pick<CommandOptions, "clock" | "signal">,
): Promise<boolean> {
  const { stdout, stderr } = await runCommand({
    command: program,
    args: ["--help"],
    cwd: "/",
    env: {},
    ...how,
  });
  return `${stdout}${stderr}`.includes("--argv0");
}

/** It dies with us, sees no other process, has no terminal to type into and no privilege. */
const apart = [
  ["--die-with-parent", "--new-session", "--cap-drop", "ALL"],
  ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
].flat();

/** What is named later stands on top of what was named before. */
async function mounts(limits: Limits): Promise<readonly string[]> {
  const cwd = await realpath(limits.cwd);
  const folder = await realpath(limits.folder);
  const tmp = await realpath(limits.tmp);
  const locked = [...(limits.writable ? await obeyedIn(folder) : []), ...(await existing(limits.locked))];
  return [
    limits.network ? [] : ["--unshare-net"],
    ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    // Services of this machine are asked through sockets in /run and /tmp, and would act outside the sandbox.
    ["--tmpfs", "/run", "--bind", tmp, "/tmp"],
    limits.network ? ["--ro-bind-try", resolverFolder, resolverFolder] : [],
    ["/tmp", "/run"].some((covered) => isInside(cwd, covered)) ? ["--ro-bind", cwd, cwd] : [],
    [limits.writable ? "--bind" : "--ro-bind", folder, folder],
    locked.flatMap((path) => ["--ro-bind", path, path]),
    await masks(limits.hidden),
    ["--chdir", cwd],
  ].flat();
}

/** Where the addresses of name servers are, on many systems. */
const resolverFolder = "/run/systemd/resolve";

async function masks(hidden: readonly string[]): Promise<readonly string[]> {
  const covers = outermost(await existing(hidden)).map(async (path) =>
    // A device does not open in a mount like ours, so not even its emptiness can be read.
    (await isFolder(path)) ? ["--tmpfs", path, "--remount-ro", path] : ["--ro-bind", "/dev/null", path],
  );
  return (await Promise.all(covers)).flat();
}

async function onPath(name: string, path: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    const program = join(folder, name);
    const runs = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return program;
  }
  return undefined;
}
