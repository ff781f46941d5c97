/** A process that does what it is told on stdin, line by line, and says how long it took. */
import { join } from "node:path";
import { argv, stdin } from "node:process";
import { lines } from "../../src/lib/rpc/jsonl.ts";
import { summarise } from "./fill.ts";
import { lists, measured, openMeasured, runTurn, screen } from "./host.ts";
import type { Said, Task } from "./side.ts";

const [home = ""] = argv.slice(2);
const say = (said: Said): void => console.log(JSON.stringify(said));
const timed = async (job: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await job();
  return performance.now() - began;
};

const began = performance.now();
await using host = await openMeasured(home);
const openMs = performance.now() - began;
say({ ms: [openMs] });

for await (const line of lines(stdin)) say(await done(JSON.parse(line) as Task));

async function done(task: Task): Promise<Said> {
  switch (task.do) {
    case "turns":
      return { ms: await turns(task) };
    case "lists":
      return { ms: await repeated(task.count, () => lists(host, 20)) };
    case "screen":
      return { ms: [await timed(() => screen(host))] };
    case "memory":
      return memory();
  }
}

function turns({ count, runtime, isNew, summariseAfter }: Extract<Task, { do: "turns" }>): Promise<number[]> {
  let run = 0;
  return repeated(count, async () => {
    if (summariseAfter !== undefined && run % summariseAfter === 0)
      summarise(join(home, "talaria.db"), measured);
    run += 1;
    await runTurn(host, runtime, isNew ? undefined : measured);
  });
}

async function repeated(count: number, job: () => Promise<void>): Promise<number[]> {
  const ms: number[] = [];
  for (let n = 0; n < count; n += 1) ms.push(await timed(job));
  return ms;
}

function memory(): Said {
  for (let n = 0; n < 3; n += 1) globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  return { ms: [], rssMiB: rss / 2 ** 20, heapMiB: heapUsed / 2 ** 20 };
}
