import { mkdir, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ActiveSandbox, Limits } from "./sandbox.ts";
import { guardMountPoints } from "./mount-points.ts";
import { existing, isInside, outermost } from "./paths.ts";

const profile = "fence";

type OurCodex = { readonly binary: string; readonly home: string };

/**
 * The sandbox that codex brings along, best first. Codex prefers a bwrap that it finds on its PATH to its own. One older
 * than 0.9 has to start codex's helper from its home, which is hidden; and there may be one where a command can write. So
 * first it is shown none. The person's PATH is for machines that let only their own bwrap make namespaces, and for a codex
 * that is a script.
 */
export const codexSandboxes = (
  { binary, home }: OurCodex,
  env: Readonly<Record<string, string | undefined>>,
): readonly ActiveSandbox[] =>
  [home, env["PATH"] ?? home].map((path) => codexSandbox({ binary, home, path }));

/**
 * All that codex is told stands in its arguments, and with a home of our own it neither reads nor writes the person's.
 * `path`: where it looks for programs.
 */
const codexSandbox = ({ binary, home, path }: OurCodex & { readonly path: string }): ActiveSandbox => ({
  kind: "codex",
  program: binary,
  gaps: [
    "In a folder that may be written, the machine's /tmp may be written too.",
    "While the network is open, programs that listen on a socket file can be reached from inside.",
    "A hidden file that has a second name (a hard link) can be read by that name.",
  ],
  wrap: async (command, env, limits) => {
    const { config, written } = await rules(limits, home);
    const own = await takeHome(home);
    const untie = await guardMountPoints(written);
    return {
      command: binary,
      args: [
        ["sandbox", "-c", `permissions.${profile}=${config}`],
        ["-P", profile, "-C", limits.folder, "--"],
        ["/bin/sh", "-c", inside, "sh", path, env["PATH"] ?? "", limits.tmp, limits.cwd, ...command],
      ].flat(),
      // Codex notes there where it has made mount points just now. Two commands in one folder that have not the same
      // notes take these away from each other, and then one of them does not start.
      env: { ...env, PATH: path, CODEX_HOME: own.path, TMPDIR: tmpdir() },
      async tidy() {
        own.free();
        await untie();
      },
    };
  },
});

const taken = new Set<string>();

/**
 * Each codex sweeps out of its home what ended ones have left there, and takes what another one is just making for that; then the other one
 * warns, in the middle of what its command says. So commands that run at the same time have a home each, below ours.
 */
async function takeHome(home: string): Promise<{ readonly path: string; readonly free: () => void }> {
  let number = 0;
  let path = home;
  while (taken.has(path)) path = join(home, `beside-${(number += 1)}`);
  taken.add(path);
  const free = (): void => void taken.delete(path);
  try {
    await mkdir(path, { mode: 0o700, recursive: true });
  } catch (error) {
    free();
    throw error;
  }
  return { path, free };
}

/** What codex put before its PATH, its `rg` for one, stands before the program's own. */
const inside = `unset CODEX_HOME
case $PATH in *"$1") PATH=\${PATH%"$1"}$2; esac
export TMPDIR="$3"
cd "$4" && shift 4 && exec "$@"`;

/** As TOML, and the folders that may be written. The rule for the deepest path holds; codex itself keeps `.git` and its like as they are. */
async function rules(
  limits: Limits,
  home: string,
): Promise<{ readonly config: string; readonly written: readonly string[] }> {
  const folder = await realpath(limits.folder);
  const locked = await existing(limits.locked);
  const hidden = outermost(await existing([home, ...limits.hidden]));
  const writable = limits.writable && ![...locked, ...hidden].some((path) => isInside(folder, path));
  const tmp = await realpath(limits.tmp);
  const access = new Map([
    [":root", "read"],
    ...(writable ? [[":slash_tmp", "write"] as const] : []),
    [tmp, "write"],
    ...locked.map((path) => [path, "read"] as const),
    ...hidden.map((path) => [path, "none"] as const),
  ]);
  const filesystem = [...access].map(([path, may]) => `${JSON.stringify(exact(path))}="${may}"`);
  // The folder is the one that `-C` names, since this way its name may have any characters.
  const workspace = writable ? [`":workspace_roots"={"."="write"}`] : [];
  return {
    config: `{filesystem={${[...workspace, ...filesystem].join(",")}},network={enabled=${limits.network}}}`,
    written: writable ? [folder, "/tmp", tmp] : [tmp],
  };
}

/** Some characters would make a pattern of a path, which then hides nothing. */
function exact(path: string): string {
  if (!/[*?[\]]/.test(path)) return path;
  throw new Error(
    `codex's sandbox cannot cover ${path}, because it reads * ? [ ] in a path as a pattern. Rename that file or folder.`,
  );
}
