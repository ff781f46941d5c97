import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../clock.ts";
import { ownTempFolder } from "../files/own-temp-folder.ts";
import { runCommand } from "../process/command.ts";
import { bubblewrapSandbox } from "./bubblewrap.ts";
import { codexSandboxes } from "./codex.ts";

/** What a program may reach. Paths are absolute; those of files that do not exist are passed over. */
export type Limits = {
  /** Where it starts. */
  readonly cwd: string;
  /** The folder it works on; `.git`, `.codex`, `.agents` and `.aws` that stand in it stay as they are. */
  readonly folder: string;
  /** May it write in that folder? */
  readonly writable: boolean;
  readonly network: boolean;
  /** Files and folders that it cannot read. */
  readonly hidden: readonly string[];
  /** Files and folders that it cannot change, also inside its folder. */
  readonly locked: readonly string[];
  /** A folder of ours where it may always write what is not to stay. */
  readonly tmp: string;
};

type Environment = Readonly<Record<string, string>>;

/** What to start in place of the program, and in which environment. */
export type WrappedCommand = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Environment;
  /** To be called when the program and all that it started are gone, or when it did not start. */
  readonly tidy?: () => Promise<void>;
};

export type ActiveSandbox = {
  readonly kind: "codex" | "bubblewrap";
  /** The program that makes it. */
  readonly program: string;
  /** What it does not keep out, as sentences. */
  readonly gaps: readonly string[];
  /** `env`: the environment that the program is to have. */
  wrap(command: readonly string[], env: Environment, limits: Limits): Promise<WrappedCommand>;
};

/** `why`: why there is no sandbox, or why a better one is not used. */
export type Sandbox =
  | (ActiveSandbox & { readonly why?: string })
  | { readonly kind: "none"; readonly why: string };

export type FindSandbox = {
  /** `home`: a folder that codex gets in place of the person's own CODEX_HOME. It is made if it is missing. */
  readonly codex?: { readonly binary: string; readonly home: string };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

const found = new Map<string, Sandbox>();

/**
 * The sandbox for commands on this machine: codex's, else bubblewrap, else none. Each is tried before it is trusted, once
 * for this process. Rejects only with the signal's reason.
 */
export async function findSandbox(options: FindSandbox): Promise<Sandbox> {
  const key = JSON.stringify([options.codex, options.env["PATH"]]);
  const known = found.get(key);
  if (known !== undefined) return known;
  const sandbox = await search(options);
  options.signal.throwIfAborted();
  found.set(key, sandbox);
  return sandbox;
}

async function search(options: FindSandbox): Promise<Sandbox> {
  const { codex, env } = options;
  const candidates = [
    ...(codex === undefined ? ["codex was not found"] : codexSandboxes(codex, env)),
    (await bubblewrapSandbox(env)) ?? "bubblewrap (bwrap) was not found on the PATH",
  ];
  const reasons = new Set<string>();
  for (const active of candidates) {
    const why = typeof active === "string" ? active : await whyBroken(active, options);
    if (why === undefined && typeof active !== "string") {
      return reasons.size === 0 ? active : { ...active, why: [...reasons].join("; ") };
    }
    if (why !== undefined) reasons.add(why);
  }
  return { kind: "none", why: [...reasons].join("; ") };
}

const proofMs = 10_000;

/** Runs a program in it that tries what it may and what it may not. */
async function whyBroken(
  active: ActiveSandbox,
  { codex, env, clock, signal }: FindSandbox,
): Promise<string | undefined> {
  const name = active.kind === "codex" ? `\`${active.program} sandbox\`` : active.program;
  const root = await ownTempFolder("proof");
  try {
    const folder = join(root, "folder");
    const locked = join(root, "locked");
    const tmp = join(root, "tmp");
    const secret = join(root, "secret");
    for (const path of [folder, locked, tmp]) await mkdir(path);
    await writeFile(secret, "secret");
    if (active.kind === "codex" && codex !== undefined)
      await mkdir(codex.home, { recursive: true, mode: 0o700 });
    const rules = {
      cwd: folder,
      folder,
      writable: true,
      network: false,
      hidden: [secret],
      locked: [locked],
      tmp,
    };
    const own = { PATH: env["PATH"] ?? "/usr/bin:/bin", HOME: folder };
    const result = await runCommand({
      ...(await active.wrap(["/bin/sh", "-c", proof, "sh", locked, secret], own, rules)),
      cwd: folder,
      clock,
      signal,
      timeoutMs: proofMs,
    });
    if (result.code === 0) return undefined;
    if (result.timedOut) return `${name} did not answer within ${proofMs / 1000} s`;
    return `${name} ${failures[result.code ?? -1] ?? `does not work here${quoted(result.stderr)}`}`;
  } catch (error) {
    signal.throwIfAborted();
    return `${name} does not work here: ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

const proof = `
echo in > inside || exit 141
(echo out > "$1/outside") 2> /dev/null && exit 142
cat "$2" > /dev/null 2>&1 && exit 143
exit 0`;

const failures: Readonly<Record<number, string>> = {
  141: "does not let a program write where it may",
  142: "lets a program write where it may not",
  143: "lets a program read what is hidden from it",
};

/** What it calls an error, else its last words. */
function quoted(stderr: string): string {
  const lines = stderr.split("\n").map((line) => line.trim());
  const shown = lines.find((line) => /^error\b/i.test(line)) ?? lines.findLast((line) => line !== "");
  return shown === undefined ? "" : `: “${shown.slice(0, 200)}”`;
}
