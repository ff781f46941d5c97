import { existsSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { codexHome } from "../fakes/real-codex-home.ts";
import { smallDisk } from "./maintenance/small-disk.ts";
import { type StartOptions, type Talaria, type Result, talaria } from "./talaria.ts";
import { programWithoutCodex } from "./without-codex.ts";

/** An installation in a certain state, and how to run the program in it. */
export type Scene = AsyncDisposable & {
  readonly it: Talaria;
  run(args: readonly string[], options?: StartOptions): Promise<Result>;
};

async function sceneOf(
  parts: AsyncDisposableStack,
  it: Talaria,
  env: Readonly<Record<string, string>> = {},
): Promise<Scene> {
  const kept = parts.move();
  const run: Scene["run"] = (args, how = {}) => it.run(args, { ...how, env: { ...env, ...how.env } });
  return { it, run, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** Nothing is there but the program, with the real codex among its packages. */
export async function empty(): Promise<Scene> {
  await using parts = new AsyncDisposableStack();
  return sceneOf(parts, parts.use(await talaria()));
}

/** No codex anywhere, and so no sandbox either where bubblewrap is not installed. */
export async function codexMissing(): Promise<Scene> {
  await using parts = new AsyncDisposableStack();
  const it = parts.use(await talaria({ program: await programWithoutCodex() }));
  return sceneOf(parts, it, { PATH: withoutCodex(it.world.env["PATH"] ?? "") });
}

/** npm puts the folder of our own packages on the PATH of what it runs. */
const withoutCodex = (path: string): string =>
  path
    .split(delimiter)
    .filter((folder) => !existsSync(join(folder, "codex")))
    .join(delimiter);

/** A program of that name that is too old. */
export async function codexTooOld(): Promise<Scene> {
  await using parts = new AsyncDisposableStack();
  const it = parts.use(await talaria());
  const bin = join(it.folder, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "codex"), "#!/bin/sh\necho codex-cli 0.100.0\n", { mode: 0o755 });
  return sceneOf(parts, it, { PATH: `${bin}:${it.world.env["PATH"] ?? ""}` });
}

/** The real codex with this as its config.toml, and without a login. */
export async function codexWith(config: string): Promise<Scene & { readonly codexHome: string }> {
  await using parts = new AsyncDisposableStack();
  const home = parts.use(await codexHome());
  await writeFile(join(home.path, "config.toml"), config);
  const it = parts.use(await talaria());
  return { ...(await sceneOf(parts, it, { CODEX_HOME: home.path })), codexHome: home.path };
}

/** A home, and a folder for temporary files, on a disk without a free byte. A string: why there is none here. */
export async function fullDisk(): Promise<(Scene & { readonly folder: string }) | string> {
  await using parts = new AsyncDisposableStack();
  const disk = await smallDisk();
  if (typeof disk === "string") return disk;
  parts.use(disk);
  const home = join(disk.folder, "home");
  await mkdir(home, { mode: 0o700 });
  await mkdir(join(disk.folder, "tmp"));
  const it = parts.use(await talaria({ home }));
  disk.fill();
  return { ...(await sceneOf(parts, it)), folder: disk.folder };
}

/**
 * The real codex where nobody may make namespaces, so that no sandbox works. A string: why that cannot be had here.
 */
export async function noSandbox(): Promise<Scene | string> {
  await using parts = new AsyncDisposableStack();
  const it = parts.use(await talaria());
  const script = join(it.folder, "no-sandbox");
  await writeFile(script, forbid, { mode: 0o755 });
  const tried = await it.shell(`unshare -Ur "${script}" true`);
  tried.closeInput();
  if ((await tried.finished).code !== 0) return "namespaces cannot be forbidden here";
  const scene = await sceneOf(parts, it);
  return {
    ...scene,
    async run(args, how = {}) {
      const words = args.map((word) => `'${word}'`).join(" ");
      const child = await it.shell(`exec unshare -Ur "${script}" "$0" ${words}`, how);
      child.closeInput();
      return child.finished;
    },
  };
}

const forbid = `#!/bin/sh
echo 0 > /proc/sys/user/max_mnt_namespaces && echo 0 > /proc/sys/user/max_user_namespaces || exit 77
exec "$@"
`;

/** What is left in a folder for temporary files. Codex has one place in it for its notes of what its sandboxes stand where just now, which stays. */
export const leftIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder)).filter((name) => !name.startsWith("codex-bwrap-synthetic-mount-targets-"));
