import { createHash } from "node:crypto";
import { readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { isInside, followed } from "../lib/sandbox/paths.ts";
import { startedPrograms, systemFolders } from "./policy/started-programs.ts";
import type { Tie, TieOf } from "./tie.ts";

export type Surroundings = {
  /** Where programs are looked for. */
  readonly path: string;
  readonly home: string;
  /** Folders for temporary files: a sandbox lets commands write there. */
  readonly temporary: readonly string[];
};

/**
 * Ties a command that would leave the sandbox to the programs that its words mean now, and to the files that its shell
 * reads first. What a turn can write without a question is never tied: it could be changed between the look and the run.
 */
export const tieFiles =
  ({ path, home, temporary }: Surroundings): TieOf =>
  async ({ action, cwd }, folder) => {
    if (action.kind !== "command" || action.fence === "sandbox") return undefined;
    const started = startedPrograms(action.command, { cwd, home, guarded: [] });
    if ("open" in started) return started;
    const own = await Promise.all([folder, cwd].map(real));
    const freelyWritable = [...own, ...(await Promise.all(temporary.map(real)))];
    const realHome = await real(home);
    if (started.login && own.some((each) => isInside(realHome, each))) return writable(home);
    const writableFile = started.login ? await writableStartFile(home, own) : undefined;
    if (writableFile !== undefined) return { open: writableFile };
    const named = [...path.split(":"), ...systemFolders];
    for (const place of named) {
      if (!isAbsolute(place)) return { open: "PATH names a folder that depends on where it is run" };
      const found = await real(place);
      if (freelyWritable.some((each) => isInside(found, each))) return writable(place);
    }
    // Start-up files often add these.
    const searched = [...named, join(home, "bin"), join(home, ".local/bin")];
    const programs = started.programs.flatMap((program) =>
      program.includes("/") ? [program] : searched.map((place) => join(place, program)),
    );
    const first = started.login ? startFiles(home) : [];
    const boundTo = await boundPaths(started.paths, freelyWritable);
    if ("open" in boundTo) return boundTo;
    const files = await boundFiles([...new Set([...programs, ...first])], own);
    return "open" in files ? files : { bound: { ...files.bound, ...boundTo.bound } };
  };

const writable = (path: string): Tie => ({
  open: `${path}, from where it runs files, can be written without a question`,
});

/** The real paths of what it works on: a link on the way can be changed. */
async function boundPaths(paths: readonly string[], freelyWritable: readonly string[]): Promise<Tie> {
  const bound: Record<string, string> = {};
  for (const path of paths) {
    const found = await realPathOf(path);
    if (freelyWritable.some((each) => isInside(path, each) || isInside(found, each)))
      return { open: `${path} can be replaced without a question` };
    bound[`where ${path} leads`] = found;
  }
  return { bound };
}

/** Also for a path that does not exist yet. */
async function realPathOf(path: string): Promise<string> {
  const found = await realpath(path).catch(() => undefined);
  if (found !== undefined || dirname(path) === path) return found ?? path;
  return join(await realPathOf(dirname(path)), basename(path));
}

async function boundFiles(files: readonly string[], freelyWritable: readonly string[]): Promise<Tie> {
  const bound: Record<string, string> = {};
  for (const file of files.toSorted()) {
    const found = await realpath(file).catch(() => undefined);
    if (found === undefined) continue;
    if (freelyWritable.some((each) => isInside(found, each))) return writable(file);
    const now = await identity(found).catch(() => undefined);
    if (now === undefined) return { open: `${file} cannot be looked at` };
    bound[file] = now;
  }
  return { bound };
}

const mostHashed = 8_000_000;

/** Its path and a hash of its content; for a large file what the file system says about it instead. */
async function identity(file: string): Promise<string> {
  const found = await stat(file, { bigint: true });
  if (found.isDirectory()) return `${file} folder`;
  if (found.size > mostHashed)
    return `${file} ${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}`;
  return `${file} ${createHash("sha256")
    .update(await readFile(file))
    .digest("hex")}`;
}

const real = (path: string): Promise<string> => realpath(path).catch(() => path);

/** Of bash and zsh. */
const names: readonly string[] = [
  ".profile",
  ".bash_profile",
  ".bash_login",
  ".bashrc",
  ".zshenv",
  ".zprofile",
  ".zshrc",
  ".zlogin",
];

/** What a shell reads in the person's home when it starts. */
const startFiles = (home: string): readonly string[] => names.map((name) => join(home, name));

/**
 * Why such a file makes a shell run something that can be changed without a question: it puts a folder of the turn's on
 * `PATH`, or reads a file in it. Only words are looked at; what it takes from programs that it runs is not known.
 */
async function writableStartFile(home: string, own: readonly string[]): Promise<string | undefined> {
  for (const file of startFiles(home)) {
    const text = await readFile(file, "utf8").catch(() => "");
    if (hasRelative(text)) return `${file} puts a folder on PATH that depends on where it is run`;
    for (const place of pathsIn(text, home)) {
      const found = await followed(place).catch(() => place);
      if (own.some((each) => isInside(place, each) || isInside(found, each)))
        return `${file} names ${place}, which can be written without a question`;
    }
  }
  return undefined;
}

const pathsIn = (text: string, home: string): readonly string[] =>
  [...text.matchAll(/(~|\$HOME|\$\{HOME\})?(\/[^\s"':;$`(){}|&<>]+)/g)].map(([, start, rest = ""]) =>
    resolve(`${start === undefined ? "" : home}${rest}`),
  );

/** In a line that sets `PATH`: an entry that begins neither at the root nor at a home or another variable. */
const hasRelative = (text: string): boolean =>
  [...text.matchAll(/\bPATH=(\S*)/g)].some(([, value = ""]) =>
    value
      .replaceAll(/["']|;.*$/g, "")
      .split(":")
      .some((entry) => !/^[/~$\\]/.test(entry)),
  );
