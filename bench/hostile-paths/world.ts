import { existsSync } from "node:fs";
import { link, mkdir, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { tempFolder } from "../../test/temp-folder.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { runCommand } from "../../src/lib/process/command.ts";
import { png } from "../../test/fakes/media-service-pictures.ts";

/** Stands in every file that no model may read. */
export const canary = "canary-5be1";
/** Part of the name of a file in every folder that no model may list. */
export const unspoken = "unspoken-77c0";

/** A home with a working folder in it, and everything around that is none of a model's business. */
export type World = AsyncDisposable & {
  readonly top: string;
  readonly home: string;
  readonly cwd: string;
  readonly outside: string;
  /** Where tools of ours put files: in our own folder, but not guarded for those who look at pictures. */
  readonly media: string;
  /** Our own settings and codex's, one of them inside the working folder, and the name of a link among them. */
  readonly guarded: readonly string[];
  /** Trees that nothing may change, whatever is allowed. */
  readonly sentinels: readonly string[];
  /** Files inside that decide what runs later: unchanged when nobody is asked. */
  readonly sensitive: readonly string[];
};

const secrets = [".ssh/id_ed25519", ".aws/credentials", ".env", ".netrc", ".git-credentials", "auth.json"];
const startUp = [".bashrc", ".profile", ".gitconfig", ".config/autostart/x.desktop"];

/** `system`: with links that leave the folder of the world, pipes and sockets. Never for tools that are wrong on purpose. */
export async function makeWorld(system: boolean): Promise<World> {
  await using parts = new AsyncDisposableStack();
  const memory = "/dev/shm";
  const parent = existsSync(memory) ? memory : tmpdir();
  const { path: top } = parts.use(await tempFolder(parent));
  const [home, outside] = [join(top, "home"), join(top, "outside")];
  const [cwd, state] = [join(home, "work"), join(home, "work", "state")];
  for (const name of ["a", "b.txt", "deep/a", "deep/b/a", ".env", "new/old"])
    await plant(join(outside, name));
  for (const name of [...secrets, ...startUp, ".codex/auth.json", ".codex/config.toml"])
    await plant(join(home, name));
  for (const name of ["config.yaml", ".env", "logs/talaria.log", "recordings/r.jsonl"])
    await plant(join(state, name));
  for (const name of secrets) await plant(join(cwd, name));
  for (const name of [".git/hooks/post-checkout", ".git/config", ".bashrc", ".vscode/settings.json"])
    await harmless(join(cwd, name));
  for (const name of ["a", "b.txt", "deep/a", "deep/b/c/d", "flip/a", "flip.txt"])
    await harmless(join(cwd, name));
  for (const folder of ["", "deep", "deep/b", "new"]) await plant(join(outside, folder, unspoken));
  await plant(join(home, unspoken));
  for (const folder of [outside, join(outside, "deep"), home, state])
    await plantPicture(join(folder, "p.png"));
  for (const folder of [cwd, join(state, "media")]) await write(join(folder, "p.png"), png(2, 2));
  await plantLinks(cwd, top, system);
  await link(await harmless(join(top, "linked", "victim")), join(cwd, "hard.txt"));
  // A tool that is wrong on purpose would wait for a pipe for ever.
  if (system) await specialFiles(cwd, parts);
  const kept = parts.move();
  return {
    top,
    home,
    cwd,
    outside,
    media: join(state, "media"),
    guarded: [
      join(cwd, "state-link"),
      state,
      join(home, ".codex/auth.json"),
      join(home, ".codex/config.toml"),
    ],
    sentinels: [outside, state, ...secrets.map((name) => join(cwd, name)), ...homeFiles(home)],
    sensitive: [join(cwd, ".git"), join(cwd, ".bashrc"), join(cwd, ".vscode")],
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

const homeFiles = (home: string): readonly string[] =>
  [...secrets, ...startUp, ".codex", "p.png", unspoken].map((name) => join(home, name));

async function plant(path: string): Promise<string> {
  return write(path, `${canary} is what ${path} holds\n`);
}

/** What stands behind its end does not matter to those who look at it. */
const plantPicture = (path: string): Promise<string> =>
  write(path, Buffer.concat([png(2, 2), Buffer.from(canary)]));

const harmless = (path: string): Promise<string> => write(path, "one\ntwo\nthree\n");

async function write(path: string, text: string | Uint8Array): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}

/** One that leads out at each depth, in each way. */
async function plantLinks(cwd: string, top: string, system: boolean): Promise<void> {
  const links = {
    out: "../../outside",
    up: "..",
    file: join(top, "outside", "a"),
    dangling: "../../outside/absent",
    "deep/out": "../../../outside/deep",
    "deep/b/out": join(top, "outside"),
    "deep/b/c/file": "../../../../../outside/b.txt",
    self: "self",
    chain: "deep/out",
    swap: "deep",
    "state-link": "state",
    notes: "state/config.yaml",
    key: ".ssh/id_ed25519",
    hooks: ".git/hooks",
    ...(system ? { root: "/", mine: "/proc/self/environ", zero: "/dev/zero" } : {}),
  };
  for (const [name, to] of Object.entries(links)) await symlink(to, join(cwd, name));
}

async function specialFiles(cwd: string, parts: AsyncDisposableStack): Promise<void> {
  const { signal } = new AbortController();
  const how = { cwd, env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" }, clock: systemClock, signal };
  await runCommand({ ...how, command: "mkfifo", args: ["pipe"] });
  const server = parts.use(createServer());
  await new Promise<void>((resolve) => server.listen(join(cwd, "socket"), resolve));
}
