import type { Action } from "../../core/asking.ts";
import type { Running } from "../../core/events.ts";
import type { SessionId } from "../../core/ids.ts";
import type { Child, ChildExit } from "../../lib/process/child.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Redactor } from "../../lib/redact/redact.ts";
import { type CappedOutput, cappedOutput } from "./capped-output.ts";
import { outputLimits } from "./command-result.ts";

const maxRunning = 8;
const maxEnded = 32;

/** A command that goes on after the call that started it. */
export type BackgroundProcess = {
  readonly id: string;
  readonly session: SessionId;
  readonly command: string;
  readonly fence: Extract<Action, { kind: "command" }>["fence"];
  readonly cwd: string;
  readonly child: Child;
  readonly startedAt: number;
  /** What it wrote and nobody has taken yet. */
  readonly output: CappedOutput;
  /** Tells what it writes from now on, until what this gives is called. */
  watch(read: (chunk: Uint8Array) => void): () => void;
  /** Settles when it has ended and all it wrote was read. */
  readonly over: Promise<void>;
  exit(): ChildExit | undefined;
};

type About = Pick<BackgroundProcess, "session" | "command" | "fence" | "cwd">;

/** The background processes of all sessions. Disposing ends them. */
export type Background = AsyncDisposable & {
  /** Resolves with a sentence when no more may run. */
  start(about: About, spawn: () => Promise<Child>): Promise<BackgroundProcess | string>;
  /** Of one session, in the order they were started; those that ended until they are forgotten. */
  of(session: SessionId): readonly BackgroundProcess[];
  forget(process: BackgroundProcess): void;
};

type Parts = { readonly clock: Clock; readonly redact: Redactor };

export function backgroundProcesses(parts: Parts): Background {
  const all = new Map<string, BackgroundProcess>();
  const starting = new Map<Promise<unknown>, SessionId>();
  let started = 0;
  let closed = false;

  const of = (session: SessionId): readonly BackgroundProcess[] =>
    [...all.values()].filter((process) => process.session === session);

  return {
    of,
    forget: ({ id }) => void all.delete(id),
    async start(about, spawn) {
      if (closed) return "Talaria is being closed, so nothing is started any more.";
      const running = of(about.session).filter((process) => process.exit() === undefined);
      const begun = [...starting.values()].filter((session) => session === about.session).length;
      if (running.length + begun >= maxRunning) return tooMany(running);
      const spawned = spawn();
      starting.set(spawned, about.session);
      try {
        started += 1;
        const process = trackProcess(`p${started}`, about, await spawned, parts);
        all.set(process.id, process);
        forgetOldest(of(about.session), all);
        return process;
      } finally {
        starting.delete(spawned);
      }
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      await Promise.allSettled(starting.keys());
      const ends = await Promise.allSettled(
        [...all.values()].map(({ child }) => child[Symbol.asyncDispose]()),
      );
      const failed = ends.find((end) => end.status === "rejected");
      if (failed !== undefined) throw failed.reason;
    },
  };
}

/** What of it runs, as people see it. */
export type RunningCommands = {
  running(session: SessionId): readonly Running[];
  /** Ends it, or the one with this id. Resolves with what was ended. */
  endRunning(session: SessionId, id?: string): Promise<readonly Running[]>;
};

export function runningCommands({ of }: Background, clock: Clock): RunningCommands {
  const live = (session: SessionId): readonly BackgroundProcess[] =>
    of(session).filter((process) => process.exit() === undefined);
  const shown = ({ id, command, startedAt }: BackgroundProcess): Running => ({
    id,
    command,
    since: Math.round(clock.now() - (clock.monotonic() - startedAt)),
  });
  return {
    running: (session) => live(session).map(shown),
    async endRunning(session, id) {
      const wanted = live(session).filter((process) => id === undefined || process.id === id);
      await Promise.all(wanted.map(({ child }) => child.kill()));
      await Promise.all(wanted.map(({ over }) => over));
      return wanted.map(shown);
    },
  };
}

const tooMany = (running: readonly BackgroundProcess[]): string =>
  `Not started: ${maxRunning} background processes of this session run already (${running.map(({ id }) => id).join(", ")}). End one with the tool process first.`;

function trackProcess(id: string, about: About, child: Child, { clock, redact }: Parts): BackgroundProcess {
  const output = cappedOutput(outputLimits, redact);
  const readers = new Set([output.add]);
  let exit: ChildExit | undefined;
  const follow = async (): Promise<void> => {
    try {
      for await (const chunk of child.stdout) for (const read of readers) read(chunk);
    } finally {
      output.end();
      exit = await child.exited;
    }
  };
  const over = follow().catch(() => {}); // what it wrote until then is there
  const watch: BackgroundProcess["watch"] = (read) => {
    readers.add(read);
    return () => void readers.delete(read);
  };
  return { id, ...about, child, output, watch, over, startedAt: clock.monotonic(), exit: () => exit };
}

/** A session that never asks how its processes ended does not fill the memory. */
function forgetOldest(processes: readonly BackgroundProcess[], all: Map<string, BackgroundProcess>): void {
  const ended = processes.filter((process) => process.exit() !== undefined);
  for (const { id } of ended.slice(0, Math.max(0, ended.length - maxEnded))) all.delete(id);
}
