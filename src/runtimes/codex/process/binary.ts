import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import type { Fault } from "../../../core/faults.ts";
import type { Clock } from "../../../lib/clock.ts";
import { runCommand } from "../../../lib/process/command.ts";
import { keepVersion, keptVersion } from "./kept-version.ts";
import { nativeBinary, isRunnable, type Runnable } from "./native-binary.ts";
import { judgeVersion, minimumVersion } from "./version.ts";

export type CodexBinary = {
  readonly path: string;
  /** Like `0.166.0`. */
  readonly version: string;
  /** Who named it: the settings, the PATH, or our own packages. */
  readonly from: "config" | "path" | "own";
  /** It is newer than what was tested; to be shown once. */
  readonly warning?: string;
};

export type FindCodex = {
  /** A path, or a name on the PATH. If it cannot be used, nothing else is looked for. */
  readonly configured?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder whose packages are searched last. */
  readonly ownRoot: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The file in which its version is kept from one start of ours to the next; asking it takes longer than to read the settings. */
  readonly versionKeptIn?: string;
  /** Ask the program for its version, even if this file has told it before. `scripts`: but not codex itself, if it is kept. */
  readonly afresh?: boolean | "scripts";
};

/**
 * The codex to run, or why there is none. Rejects only with the signal's reason. Like a shell, it stays with the file that
 * it found for as long as that is the same file.
 */
export async function findCodex(options: FindCodex): Promise<CodexBinary | Fault> {
  const { configured, env, ownRoot, afresh = false } = options;
  const question = JSON.stringify([configured, ownRoot, env["PATH"], env["HOME"]]);
  const before = found.get(question);
  if (afresh === false && before !== undefined && before.state === stateOf(before.files))
    return before.binary;
  const at = locate(options);
  if ("code" in at) return at;
  const path = nativeBinary(at.path);
  const files = [at.path, path];
  const state = stateOf(files);
  const binary = await judged(path, at.from, options);
  if (!("code" in binary)) found.set(question, { files, state, binary });
  return binary;
}

type Found = { readonly files: readonly string[]; readonly state: string; readonly binary: CodexBinary };
const found = new Map<string, Found>();

/** Not by its time of change: packages set that to the same for all releases. */
const stateOf = (files: readonly string[]): string => JSON.stringify(files.map(identityOf));

function identityOf(file: string): readonly number[] | undefined {
  try {
    const { dev, ino, size, ctimeMs } = statSync(file);
    return [dev, ino, size, ctimeMs];
  } catch {
    return undefined;
  }
}

async function judged(
  path: string,
  from: CodexBinary["from"],
  options: FindCodex,
): Promise<CodexBinary | Fault> {
  const answer = await versionOf(path, options);
  if (typeof answer !== "string") return answer;
  const verdict = judgeVersion(answer);
  switch (verdict.kind) {
    case "none":
      return unusable(`${path} does not say which version it is; it printed “${firstLine(answer)}”.`);
    case "old":
      return unusable(
        `${path} is codex ${verdict.version}, which is too old: ${minimumVersion} or newer is needed.`,
      );
    case "newer":
      return { path, version: verdict.version, from, warning: verdict.warning };
    case "fits":
      return { path, version: verdict.version, from };
  }
}

type Located = Pick<CodexBinary, "path" | "from">;

function locate({ configured, env, ownRoot }: FindCodex): Located | Fault {
  if (configured !== undefined) return configuredBinary(configured, env);
  const onPath = searchPath("codex", env);
  if (onPath.path !== undefined) return { path: onPath.path, from: "path" };
  const own = ownWrapper(ownRoot);
  if (own !== undefined && isRunnable(own) === "yes") return { path: own, from: "own" };
  const seen = onPath.locked === undefined ? "" : ` ${onPath.locked} is there, but may not be run.`;
  return {
    code: "config",
    message: `The program codex was not found on the PATH.${seen}`,
    next: `${installHint}. If it is somewhere else: talaria config set model.codex_bin /path/to/codex`,
  };
}

function configuredBinary(named: string, env: FindCodex["env"]): Located | Fault {
  if (!named.includes("/")) {
    const { path } = searchPath(named, env);
    return path === undefined ? badPath(named, "no program of that name is on the PATH") : located(path);
  }
  const path = resolve(named.replace(/^~(?=\/)/, env["HOME"] ?? homedir()));
  const state = isRunnable(path);
  return state === "yes" ? located(path) : badPath(path, whyNot[state]);
}

const located = (path: string): Located => ({ path, from: "config" });

const whyNot: Readonly<Record<Exclude<Runnable, "yes">, string>> = {
  missing: "there is no such file",
  folder: "that is a folder; name the program inside it",
  locked: "the file may not be run; make it executable with `chmod +x`, or check who may read its folders",
};

const badPath = (path: string, why: string): Fault => ({
  code: "config",
  message: `model.codex_bin is ${path}, but ${why}.`,
  next: "Correct it with `talaria config set model.codex_bin /path/to/codex`, or remove it to use the codex on the PATH.",
});

/** As a shell does: the first file of that name that may be run. Not in the folder where we happen to be. */
function searchPath(
  name: string,
  env: FindCodex["env"],
): { readonly path?: string; readonly locked?: string } {
  let locked: string | undefined;
  for (const folder of (env["PATH"] ?? "").split(delimiter).filter(isAbsolute)) {
    const path = resolve(folder, name);
    const state = isRunnable(path);
    if (state === "yes") return { path };
    if (state === "locked") locked ??= path;
  }
  return locked === undefined ? {} : { locked };
}

function ownWrapper(root: string): string | undefined {
  try {
    const manifest = createRequire(join(root, "package.json")).resolve("@openai/codex/package.json");
    return join(dirname(manifest), "bin", "codex.js");
  } catch {
    return undefined;
  }
}

const versionMs = 10_000;

/** A file that did not change has the same version. */
async function versionOf(
  path: string,
  { env, clock, signal, versionKeptIn, afresh = false }: FindCodex,
): Promise<string | Fault> {
  const identity = stateOf([path]);
  const kept =
    afresh === true || versionKeptIn === undefined ? undefined : keptVersion(versionKeptIn, identity);
  if (kept !== undefined) return kept;
  try {
    const command = { command: path, args: ["--version"], cwd: "/", env: searchable(env) };
    const result = await runCommand({
      ...command,
      clock,
      signal,
      timeoutMs: versionMs,
      maxOutputBytes: 4096,
    });
    if (result.timedOut)
      return unusable(`${path} --version did not answer within ${versionMs / 1000} seconds.`);
    if (result.code !== 0) return broken(path, result.stderr || result.stdout);
    if (versionKeptIn !== undefined) await keepVersion(versionKeptIn, path, identity, result.stdout);
    return result.stdout;
  } catch (error) {
    signal.throwIfAborted();
    return unusable(error instanceof Error ? error.message : String(error));
  }
}

const searchable = ({ PATH, HOME }: FindCodex["env"]): Record<string, string> => ({
  ...(PATH === undefined ? {} : { PATH }),
  ...(HOME === undefined ? {} : { HOME }),
});

const broken = (path: string, said: string): Fault =>
  unusable(
    `${path} cannot be run${said.trim() === "" ? "" : `: “${errorLine(said)}”`}. It may be damaged, or built for another system or processor.`,
  );

const unusable = (message: string): Fault => ({ code: "config", message, next: installHint });

const installHint = "Install codex: npm install -g @openai/codex";

const firstLine = (text: string): string => text.trim().split("\n", 1)[0]?.slice(0, 200) ?? "";

/** Of a stack trace the line with the words. */
const errorLine = (text: string): string => firstLine(/^\w*Error: .*/m.exec(text)?.[0] ?? text);
