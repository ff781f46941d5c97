import { PassThrough } from "node:stream";
import { byteTail } from "../../../src/lib/byte-tail.ts";
import { childInput } from "../../../src/lib/process/child-pipes.ts";
import type { Child, ChildExit } from "../../../src/lib/process/child.ts";
import { type Clock, systemClock } from "../../../src/lib/clock.ts";
import type { CodexSchema } from "../../codex-schema/codex-schema.ts";
import { fakeAppServer } from "./app-server.ts";
import { type FakeHome, memoryHome } from "./home.ts";
import type { LogLine } from "./io.ts";
import { parseScript } from "./script.ts";

export type FakeChildOptions = {
  /** Hand the same home to the next child to restart on it. */
  readonly home?: FakeHome;
  readonly clock?: Clock;
  readonly schema?: CodexSchema;
  readonly settings?: Readonly<Record<string, string>>;
};

export type FakeChild = Child & {
  readonly log: readonly LogLine[];
  readonly violations: readonly object[];
};

let lastPid = 0x40_00_00_00; // beyond what a system gives out, so no signal can hit anybody

/** `codex app-server` as a child that is no process: quick to start, and all its time is the clock's. */
export function fakeChild(script: object, options: FakeChildOptions = {}): FakeChild {
  const { home = memoryHome(), clock = systemClock, schema, settings } = options;
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const stderr = byteTail(64 * 1024);
  const log: LogLine[] = [];
  const exit = Promise.withResolvers<ChildExit>();
  let gone = false;
  const end = (how: Pick<ChildExit, "code" | "signal">): void => {
    if (gone) return;
    gone = true;
    stdout.end();
    stdin.destroy();
    exit.resolve({ ...how, stderrTail: stderr.text(), stderrCut: stderr.total() > 64 * 1024 });
  };
  const { ended, violations } = fakeAppServer(parseScript(script), {
    input: stdin,
    output: (bytes) => (gone ? new Promise(() => {}) : written(stdout, bytes)),
    stderr: async (bytes) => stderr.add(Buffer.from(bytes)),
    signal: () => {}, // `ended` tells of SIGKILL; stopped, it just hangs
    home,
    clock,
    log: (line) => log.push(line),
    ...(settings === undefined ? {} : { settings }),
    ...(schema === undefined ? {} : { schema }),
  });
  void ended.then(end);
  const kill = async (): Promise<void> => end({ code: null, signal: "SIGKILL" });
  return {
    pid: (lastPid += 1),
    startTime: "fake",
    ...childInput(stdin),
    stdout,
    stderrTail: () => stderr.text(),
    exited: exit.promise,
    kill,
    log,
    violations,
    [Symbol.asyncDispose]: kill,
  };
}

const written = (stream: PassThrough, bytes: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
