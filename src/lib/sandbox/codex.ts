import { realpath } from "node:fs/promises";
import type { ActiveSandbox, Limits } from "./sandbox.ts";
import { existing, isInside } from "./paths.ts";

const profile = "fence";

/**
 * The sandbox that codex brings along. All it is told stands in its arguments, and with a home of our own it neither reads
 * nor writes the person's.
 */
export const codexSandbox = (binary: string, home: string): ActiveSandbox => ({
  kind: "codex",
  program: binary,
  gaps: [
    "In a folder that may be written, the machine's /tmp may be written too.",
    "While the network is open, programs that listen on a socket file can be reached from inside.",
    "A hidden file that has a second name (a hard link) can be read by that name.",
  ],
  wrap: async (command, limits) => ({
    command: binary,
    args: [
      ["sandbox", "-c", `permissions.${profile}=${await rules(limits, home)}`],
      ["-P", profile, "-C", limits.folder, "--"],
      ["/bin/sh", "-c", inside, "sh", limits.cwd, ...command],
    ].flat(),
    env: { CODEX_HOME: home, TMPDIR: limits.tmp },
  }),
});

const inside = 'unset CODEX_HOME; cd "$1" && shift && exec "$@"';

/** As TOML. The rule for the deepest path holds; codex itself keeps `.git` and its like as they are. */
async function rules(limits: Limits, home: string): Promise<string> {
  const folder = await realpath(limits.folder);
  const locked = await existing([home, ...limits.locked]);
  const hidden = await existing(limits.hidden);
  const writable = limits.writable && ![...locked, ...hidden].some((path) => isInside(folder, path));
  const access = new Map([
    [":root", "read"],
    ...(writable ? [[":slash_tmp", "write"] as const] : []),
    [await realpath(limits.tmp), "write"],
    ...locked.map((path) => [path, "read"] as const),
    ...hidden.map((path) => [path, "none"] as const),
  ]);
  const filesystem = [...access].map(([path, may]) => `${JSON.stringify(exact(path))}="${may}"`);
  // The folder is the one that `-C` names, since this way its name may have any characters.
  const workspace = writable ? [`":workspace_roots"={"."="write"}`] : [];
  return `{filesystem={${[...workspace, ...filesystem].join(",")}},network={enabled=${limits.network}}}`;
}

/** Some characters would make a pattern of a path, which then hides nothing. */
function exact(path: string): string {
  if (!/[*?[\]]/.test(path)) return path;
  throw new Error(
    `codex's sandbox cannot cover ${path}, because it reads * ? [ ] in a path as a pattern. Rename that file or folder.`,
  );
}
