import { fileURLToPath } from "node:url";
import { spawnChild } from "../../src/lib/process/child.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { lines } from "../../src/lib/rpc/jsonl.ts";
import { ownSources } from "../own-child.ts";
import type { Said } from "../crash/job.ts";
import { nothingSaid } from "../crash/run-worker.ts";
import type { Cut } from "./cut.ts";
import type { Job, Mutant } from "./job.ts";
import { newPlace } from "./place.ts";
import { type Glimpse, type Seen, nothingSeen, see } from "./seen.ts";
import { verdict } from "./verdict.ts";

const workerFile = fileURLToPath(new URL("worker.child.ts", import.meta.url));

/** The conversation, with our own process killed after so many frames; a second one goes on with what is there. */
export async function ownCut(after: number, mutant?: Mutant): Promise<Cut> {
  await using place = await newPlace("real", { mutant });
  const { story, job } = place;
  const [said, seen] = [nothingSaid(), nothingSeen()];
  const run = (more: Partial<Job>, note: (fact: Fact) => void): Promise<boolean> =>
    runWorker({ ...job, ...more }, note);
  const killed = await run({ dieAfter: after }, (fact) => hear(fact, said, seen));
  const inputs = [...job.inputs, story.again].filter((text) => !said.acked.includes(text));
  await run({ inputs }, (fact) => hear(later(fact), said, seen));
  const where = `we were killed after frame ${after}`;
  return { killed, ...(await verdict(place, said, seen, { died: "self", where })) };
}

/** Runs one worker to its end, and tells whether it was killed. */
async function runWorker(job: Job, note: (fact: Fact) => void): Promise<boolean> {
  const child = await spawnChild({
    command: process.execPath,
    args: [...ownSources, workerFile, JSON.stringify(job)],
    cwd: job.cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: job.home },
    kind: "codex-kill-worker",
    registry: { add: async () => {}, remove: async () => {} },
    clock: systemClock,
  });
  for await (const line of lines(child.stdout)) note(JSON.parse(line) as Fact);
  const { signal, code, stderrTail } = await child.exited;
  if (signal === "SIGKILL") return true;
  if (code !== 0) throw new Error(`worker ended with ${code ?? signal}: ${stderrTail}`);
  return false;
}

type Fact = {
  readonly acked?: string;
  readonly shown?: Said["shown"][number];
  readonly ended?: Said["ended"][number];
  readonly seen?: Glimpse;
};

function hear(fact: Fact, said: Said, seen: Seen): void {
  if (fact.acked !== undefined) said.acked.push(fact.acked);
  if (fact.shown !== undefined) said.shown.push(fact.shown);
  if (fact.ended !== undefined) said.ended.push(fact.ended);
  if (fact.seen !== undefined) see(seen, fact.seen);
}

/** Whatever the second worker saw did not come from the first codex. */
const later = (fact: Fact): Fact =>
  fact.seen === undefined ? fact : { ...fact, seen: { ...fact.seen, first: false } };
