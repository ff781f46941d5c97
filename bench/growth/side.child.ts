/** A process that does what it is told on stdin, line by line, and says how long it took. */
import { argv, stdin } from "node:process";
import { lines } from "../../src/lib/rpc/jsonl.ts";
import { measured, openMeasured, runTurn } from "./host.ts";
import { asOwner } from "../../test/owners-host.ts";
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
  if (task.do !== "turns") return task.do === "memory" ? memory() : { ms: [await timed(lists)] };
  const ms: number[] = [];
  for (let n = 0; n < task.count; n += 1)
    ms.push(await timed(() => runTurn(host, task.runtime, task.isNew ? undefined : measured)));
  return { ms };
}

async function lists(): Promise<void> {
  await asOwner(host).call("sessions.list", { limit: 20 });
  await asOwner(host).call("sessions.list", { limit: 1, cwd: "/nowhere" });
}

function memory(): Said {
  for (let n = 0; n < 3; n += 1) globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  return { ms: [], rssMiB: rss / 2 ** 20, heapMiB: heapUsed / 2 ** 20 };
}
