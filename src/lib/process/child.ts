// oxlint-disable-next-line no-restricted-imports -- this file is where children come from
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { byteTail } from "../byte-tail.ts";
import { type ChildInput, childInput, chunksOf, endAfterExit } from "./child-pipes.ts";
import type { Clock } from "../clock.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import { processRow } from "./process-table.ts";
import type { Mark } from "./process-mark.ts";
import { type ProcessTree, defaultTermMs, endTree, processTree } from "./process-tree.ts";
import { SpawnError } from "./spawn-error.ts";

/** Remembers children outside this process, so that the next start can end those we left behind. */
export type ProcessRegistry = {
  add(child: { readonly pid: number; readonly startTime: string; readonly kind: string }): Promise<void>;
  remove(pid: number, startTime: string): Promise<void>;
};

export type SpawnOptions = {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** All that the child gets: nothing of our own environment is added. */
  readonly env: Readonly<Record<string, string>>;
  /** Added to its environment, so that whatever it starts can be found and ended with it. */
  readonly mark?: Mark;
  /** What the child is, for the registry. */
  readonly kind: string;
  readonly registry: ProcessRegistry;
  /** Kills the child. */
  readonly signal?: AbortSignal;
  readonly clock: Clock;
  /** Called when the child and all that it started are gone, or when it did not start. */
  readonly tidy?: () => Promise<void>;
  /** How long `kill` waits after closing the input, and then after SIGTERM. */
  readonly grace?: { readonly inputMs?: number; readonly termMs?: number };
};

export type ChildExit = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderrTail: string;
  /** It wrote more to stderr than the tail holds. */
  readonly stderrCut: boolean;
};

/** A running program that leads its own process group. Disposing kills it. */
export type Child = ProcessIdentity &
  ChildInput &
  AsyncDisposable & {
    readonly mark?: Mark;
    /** For one reader. A reader that stops early closes the pipe. */
    readonly stdout: AsyncIterable<Uint8Array>;
    /** The last 64 KiB that it wrote to stderr until now. */
    stderrTail(): string;
    /** Never rejects. Processes that the child left behind are ended as well, but not waited for here. */
    readonly exited: Promise<ChildExit>;
    /**
     * Closes its input, waits, SIGTERM, waits, SIGKILL, each to the whole tree; resolves when the tree is gone and the
     * registry has forgotten it. Rejects if the registry or the process table fails; the child is killed even then.
     */
    kill(): Promise<void>;
  };

const stderrBytes = 64 * 1024;
const defaultInputMs = 500;
const killMs = 5_000;

/** Starts the program and registers it. Rejects with `SpawnError` if it cannot be started. */
export async function spawnChild(options: SpawnOptions): Promise<Child> {
  const { clock, registry, kind, signal, tidy } = options;
  const { running, identity } = await startOrTidy(options);
  const { stdin, stdout, stderr } = running;
  const who = options.mark === undefined ? identity : { ...identity, mark: options.mark };
  const tree = processTree(who);
  const tail = byteTail(stderrBytes);
  stderr.on("data", (chunk: Buffer) => tail.add(chunk));
  const input = childInput(stdin);

  const ended = Promise.withResolvers<Pick<ChildExit, "code" | "signal">>();
  running.once("exit", (code, signalName) => ended.resolve({ code, signal: signalName }));
  const exited = ended.promise.then(async (end) => {
    void endAfterExit(stdout, clock);
    await endAfterExit(stderr, clock);
    return { ...end, stderrTail: tail.text(), stderrCut: tail.total() > stderrBytes };
  });

  const register = async (): Promise<void> => registry.add({ ...identity, kind });
  const added = register();
  const clean = async (): Promise<void> => {
    await ended.promise;
    tree.look({ leaderEnded: true });
    const gone = await endTree(tree, clock, options.grace?.termMs);
    await added.catch(() => {}); // whoever called us hears of that
    if (gone) await registry.remove(identity.pid, identity.startTime);
    await tidy?.();
  };
  const cleaned = clean();
  cleaned.catch(() => {}); // `kill` tells

  let killing: Promise<void> | undefined;
  const kill = (): Promise<void> => {
    killing ??= escalate(input, tree, ended.promise, options)
      .then((done) => (done ? cleaned : undefined))
      .catch((error: unknown) => {
        running.kill("SIGKILL"); // no harm if it has ended
        throw error;
      });
    return killing;
  };
  const onAbort = (): void => void kill().catch(() => {});
  signal?.addEventListener("abort", onAbort, { once: true });
  void exited.then(() => signal?.removeEventListener("abort", onAbort));

  try {
    await added;
    signal?.throwIfAborted();
  } catch (error) {
    await kill().catch(() => {});
    throw error;
  }
  return {
    ...who,
    ...input,
    stdout: chunksOf(stdout),
    stderrTail: tail.text,
    exited,
    kill,
    async [Symbol.asyncDispose]() {
      await kill().finally(() => stdout.destroy());
    },
  };
}

async function startOrTidy(options: SpawnOptions): ReturnType<typeof start> {
  try {
    options.signal?.throwIfAborted();
    return await start(options);
  } catch (error) {
    await options.tidy?.();
    throw error;
  }
}

/** Resolves when the program runs. */
function start(
  options: SpawnOptions,
): Promise<{ readonly running: ChildProcessWithoutNullStreams; readonly identity: ProcessIdentity }> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => reject(new SpawnError(options, error));
    try {
      const { command, args, cwd, mark } = options;
      const env = { ...options.env, ...(mark === undefined ? {} : markVariable(mark)) };
      const running = spawn(command, args, { cwd, env, detached: true, stdio: "pipe" });
      const identity = identityOf(running);
      // Node discards unread output when a child ends, and the child may end before it is registered.
      running.stdout.on("readable", () => {});
      running.on("error", fail);
      running.once("spawn", () => (identity ? resolve({ running, identity }) : undefined));
    } catch (error) {
      fail(error);
    }
  });
}

const markVariable = (mark: Mark): Record<string, string> => {
  const [name = "", ...value] = mark.split("=");
  return { [name]: value.join("=") };
};

/** Read before anything is awaited: only until then is a child that has ended sure to be in the process table. Undefined: none was started. */
function identityOf(running: ChildProcessWithoutNullStreams): ProcessIdentity | undefined {
  const { pid } = running;
  if (pid === undefined) return undefined;
  const startTime = processRow(pid)?.startTime;
  if (startTime !== undefined) return { pid, startTime };
  running.kill("SIGKILL");
  throw new Error(
    "the system does not tell when it was started. Make /proc readable, or put `ps` on the PATH",
  );
}

/** False: it did not end. */
async function escalate(
  input: ChildInput,
  tree: ProcessTree,
  ended: Promise<unknown>,
  { clock, grace }: SpawnOptions,
): Promise<boolean> {
  tree.look(); // descendants can be told from strangers only while their parents live
  if (input.closeInput() && (await within(ended, grace?.inputMs ?? defaultInputMs, clock))) return true;
  tree.signal("SIGTERM");
  if (await within(ended, grace?.termMs ?? defaultTermMs, clock)) return true;
  tree.signal("SIGKILL");
  return within(ended, killMs, clock);
}

async function within(event: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  const stop = new AbortController();
  const happened = event.then(() => true);
  const late = clock.sleep(ms, stop.signal, { hold: true }).then(() => false);
  return Promise.race([happened, late]).finally(() => stop.abort());
}
