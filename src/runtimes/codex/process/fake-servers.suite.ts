import { fakeClock } from "../../../../test/fakes/fake-clock.ts";
import type { AppServer } from "./app-server.ts";
import type { Gone } from "./gone.ts";
import type { Launch } from "./launch.ts";
import { appServerPool } from "./pool.ts";

type Started = {
  readonly server: AppServer;
  readonly signal: AbortSignal;
  readonly ended: string[];
  crash(): void;
};

/** A pool of app-servers that are none: the test decides when they start, end and crash. */
export function world() {
  const clock = fakeClock();
  const starts: Started[] = [];
  let gate: Promise<void> | undefined;
  let endGate: Promise<void> | undefined;
  let failure: Error | undefined;
  const pool = appServerPool({
    clock,
    async start(_launch, signal) {
      const started = fakeServer(signal, () => endGate);
      starts.push(started);
      await gate;
      if (failure !== undefined) throw failure;
      return started.server;
    },
  });
  return {
    pool,
    clock,
    starts,
    failWith: (error: Error | undefined) => void (failure = error),
    /** Starts wait until the returned function is called. */
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
    holdEnds(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      endGate = promise;
      return resolve;
    },
  };
}

function fakeServer(signal: AbortSignal, endGate: () => Promise<void> | undefined): Started {
  const gone = Promise.withResolvers<Gone>();
  const ended: string[] = [];
  let alive = true;
  const end = (how: Partial<Gone>): void => {
    alive = false;
    gone.resolve({ code: null, signal: null, stderrTail: "", reason: "closed", ...how });
  };
  const stop = async (how: string): Promise<void> => {
    ended.push(how);
    end({});
    await endGate();
  };
  const server = {
    get alive() {
      return alive;
    },
    gone: gone.promise,
    kill: () => stop("killed"),
    [Symbol.asyncDispose]: () => stop("asked"),
  } as Partial<AppServer> as AppServer;
  return { server, signal, ended, crash: () => end({ reason: "exit", code: 101 }) };
}

export const launch = (key: string, home = "/home/ada/.codex"): Launch => ({
  command: "codex",
  args: [],
  env: {},
  home,
  key: `${key} ${home}`,
  secrets: [],
});
