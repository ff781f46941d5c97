import { fileURLToPath } from "node:url";
import { spawnChild } from "../../src/lib/process/child.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { lines } from "../../src/lib/rpc/jsonl.ts";
import { ownSources } from "../own-child.ts";
import type { Follower } from "./follower.ts";
import type { Job, Said } from "./job.ts";

const workerFile = fileURLToPath(new URL("worker.child.ts", import.meta.url));

export const nothingSaid = (): Said => ({ acked: [], shown: [], ended: [] });

/** Kills the worker so many milliseconds after it has said so many lines. */
export type Kill = { readonly afterLines: number; readonly plusMs: number };

export type Watched = {
  readonly kill?: Kill;
  /** Follows what happens from the first word on: by then there is a store. */
  readonly follower?: Follower;
};

/** Runs one worker to its end, adds what it said to `said`, and tells whether it was killed. */
export async function runWorker(
  job: Job,
  said: Said,
  { kill, follower }: Watched = {},
): Promise<"ended" | "killed"> {
  await using watching = new AsyncDisposableStack();
  const child = await spawnChild({
    command: process.execPath,
    args: [...ownSources, workerFile, JSON.stringify(job)],
    cwd: job.cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: job.home },
    kind: "crash-bench-worker",
    registry: { add: async () => {}, remove: async () => {} },
    clock: systemClock,
  });
  let heard = 0;
  const strike = async (): Promise<void> => {
    if (kill === undefined || heard !== kill.afterLines) return;
    await systemClock.sleep(kill.plusMs, undefined, { hold: true });
    // The worker alone, as an out-of-memory killer would: its children are what the next start must find.
    process.kill(child.pid, "SIGKILL");
  };
  void strike().catch(() => {});
  for await (const line of lines(child.stdout)) {
    note(JSON.parse(line) as Fact, said);
    if (heard === 0 && follower !== undefined) watching.use(follower.live());
    heard += 1;
    void strike().catch(() => {});
  }
  const { signal, code, stderrTail } = await child.exited;
  if (signal === "SIGKILL") return "killed";
  if (code !== 0) throw new Error(`worker ended with ${code ?? signal}: ${stderrTail}`);
  return "ended";
}

type Fact = {
  readonly acked?: string;
  readonly shown?: Said["shown"][number];
  readonly ended?: Said["ended"][number];
  readonly statements?: number;
};

function note(fact: Fact, said: Said): void {
  if (fact.acked !== undefined) said.acked.push(fact.acked);
  if (fact.shown !== undefined) said.shown.push(fact.shown);
  if (fact.ended !== undefined) said.ended.push(fact.ended);
  if (fact.statements !== undefined) said.statements = fact.statements;
}
