import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Child, spawnChild } from "../../src/lib/process/child.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { isAttached, withHost } from "./attached/with-host.ts";

/** The real program, in a home of its own that is gone with everything in it when the test is over. */
export type Talaria = AsyncDisposable & {
  /** HOME. */
  readonly folder: string;
  /** TALARIA_HOME; does not exist until the program makes it. */
  readonly home: string;
  /** Where it is started. */
  readonly cwd: string;
  /** Ends the host that was started beside it, if one was. */
  readonly endHost: () => Promise<void>;
  /** Done when all that was started has ended, before the home is gone. */
  atEnd(look: () => Promise<void>): void;
  /** What is started, and all that it gets in its environment. */
  readonly world: { readonly program: string; readonly env: Readonly<Record<string, string>> };
  run(args: readonly string[], options?: StartOptions): Promise<Result>;
  start(args: readonly string[], options?: Omit<StartOptions, "input">): Promise<Started>;
  /** Runs a line of sh in which "$0" is the program. */
  shell(line: string, options?: Omit<StartOptions, "input">): Promise<Started>;
};

export type StartOptions = {
  readonly cwd?: string;
  /** Beside PATH, HOME and TALARIA_HOME, which are all that it gets otherwise. */
  readonly env?: Readonly<Record<string, string>>;
  /** What it reads from stdin; nothing by default. */
  readonly input?: string;
  /** By when it has to have ended, if two minutes are not enough. */
  readonly patienceMs?: number;
};

export type Result = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Each line of stdout, when it writes JSON lines. */
  readonly lines: readonly Line[];
};

/** One of them: an event of a turn, a session, a hit… */
export type Line = {
  readonly type?: string;
  readonly seq?: number;
  readonly session?: string;
  readonly turn?: string;
  readonly id?: string;
  readonly text?: string;
  readonly code?: string;
  readonly message?: string;
  readonly next?: string;
  readonly [key: string]: unknown;
};

export type Started = {
  readonly pid: number;
  /** Resolves with the match when stdout has it; rejects when the program ends without. */
  shows(what: RegExp): Promise<readonly string[]>;
  write(text: string): Promise<void>;
  closeInput(): void;
  /** Does nothing when it has ended. */
  signal(name: NodeJS.Signals): void;
  readonly finished: Promise<Result>;
};

const ownProgram = fileURLToPath(new URL("../../bin/talaria", import.meta.url));

/** A program that has not ended by then never will: it is killed, and the test fails on its output. */
const patienceMs = 120_000;

/** `program`: another one than the source that is tested. */
export async function talaria(
  options: { readonly home?: string; readonly program?: string } = {},
): Promise<Talaria> {
  await using parts = new AsyncDisposableStack();
  const folder = await realpath(await mkdtemp(join(tmpdir(), "talaria-e2e-")));
  // What it started may be ending still, and write a last file.
  parts.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  const { home = join(folder, "home"), program: alone = ownProgram } = options;
  const cwd = join(folder, "work");
  await mkdir(cwd);
  const env = {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: folder,
    TALARIA_HOME: home,
    NODE_COMPILE_CACHE: compileCache,
  };
  const looks: (() => Promise<void>)[] = [];
  parts.defer(async () => {
    for (const look of looks) await look();
  });
  const host = isAttached ? parts.use(await withHost(alone, folder)) : undefined;
  const program = host?.program ?? alone;
  const kept = parts.move();
  const launch = async (command: string, args: readonly string[], how: StartOptions): Promise<Started> => {
    const child = await spawnChild({
      command,
      args,
      cwd: how.cwd ?? cwd,
      env: { ...env, ...how.env },
      kind: "talaria",
      registry: { add: async () => {}, remove: async () => {} },
      signal: AbortSignal.timeout(how.patienceMs ?? patienceMs),
      clock: systemClock,
      grace: { inputMs: 1, termMs: 2000 },
    });
    kept.use(child);
    return started(child);
  };
  return {
    folder,
    home,
    cwd,
    endHost: async () => host?.[Symbol.asyncDispose](),
    atEnd: (look) => void looks.push(look),
    world: { program, env },
    start: (args, how = {}) => launch(program, args, how),
    shell: (line, how = {}) => launch("/bin/sh", ["-c", line, program], how),
    async run(args, how = {}) {
      const child = await launch(program, args, how);
      // One that never reads its input has ended by then, which is no fault of it.
      if (how.input !== undefined) await child.write(how.input).catch(() => {});
      child.closeInput();
      return child.finished;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function started(child: Child): Started {
  let text = "";
  let over = false;
  let news = Promise.withResolvers<void>();
  const tell = (): void => {
    news.resolve();
    news = Promise.withResolvers<void>();
  };
  async function read(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) {
      text += decoder.decode(chunk, { stream: true });
      tell();
    }
  }
  const readAll = read().finally(() => {
    over = true;
    tell();
  });
  async function finish(): Promise<Result> {
    await readAll;
    const { code, signal, stderrTail: stderr } = await child.exited;
    const stdout = text;
    return {
      code,
      signal,
      stdout,
      stderr,
      get lines() {
        return stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Line]));
      },
    };
  }
  return {
    pid: child.pid,
    write: child.write,
    closeInput: () => void child.closeInput(),
    signal: (name) => signalTo(child.pid, name),
    finished: finish(),
    async shows(what) {
      for (;;) {
        const match = what.exec(text);
        if (match !== null) return match;
        if (over) throw new Error(`It ended without ${what}:\n${text}\n${child.stderrTail()}`);
        await news.promise;
      }
    },
  };
}

function signalTo(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** One for all homes and all test files, because the second start takes half the time of the first. */
const compileCache =
  process.env["NODE_COMPILE_CACHE"] ||
  fileURLToPath(new URL("../../node_modules/.cache/compiled", import.meta.url));
