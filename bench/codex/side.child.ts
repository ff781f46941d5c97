/** One side in a process of its own: takes orders on stdin, a line each, and answers each with a line. */
import { argv, stdin, stdout } from "node:process";
import { systemClock } from "../../src/lib/clock.ts";
import { lines } from "../../src/lib/rpc/jsonl.ts";
import { residentMiB } from "./memory.ts";
import type { Place } from "./place.ts";
import { processorMs } from "./processor.ts";
import type { Batch, Memory, Order, Processor, Side, SideName, TurnTimes } from "./side.ts";
import { talariaSide } from "./talaria-side.ts";
import { equalSide, thinSide } from "./thin-side.ts";

const [name, place] = [argv[2] as SideName, JSON.parse(argv[3] ?? "{}") as Place];
const open = { thin: thinSide, equal: equalSide, talaria: talariaSide };
await using side = await open[name](place);
for await (const line of lines(stdin)) {
  const answer = await obey(side, JSON.parse(line) as Order);
  stdout.write(`${JSON.stringify(answer)}\n`);
}

async function obey(it: Side, order: Order): Promise<unknown> {
  switch (order.do) {
    case "turn":
      return alone(() => it.turn(order.session));
    case "turns":
      return batch(it, order.sessions, order.turns);
    case "memory":
      return memory(it);
    case "processor":
      return processor(it);
    case "kill":
      return it.kill?.();
  }
}

async function memory(it: Side): Promise<Memory> {
  return { ownMiB: await residentMiB(process.pid), codexMiB: await residentMiB(it.codex()) };
}

async function processor(it: Side): Promise<Processor> {
  const { user, system } = process.cpuUsage();
  return { ownMs: (user + system) / 1000, codexMs: await processorMs(it.codex()) };
}

/** With its processor time, which says more than the clock does on a machine that others use too. */
async function alone(work: () => Promise<TurnTimes>): Promise<TurnTimes> {
  const before = process.cpuUsage();
  const times = await work();
  const { user, system } = process.cpuUsage(before);
  return { ...times, cpuMs: (user + system) / 1000 };
}

/** All sessions side by side, the turns of each one after the other. */
async function batch(it: Side, sessions: number, turns: number): Promise<Batch> {
  const began = systemClock.monotonic();
  const each = await Promise.all(
    Array.from({ length: sessions }, async (_, session) => {
      const times: TurnTimes[] = [];
      while (times.length < turns) times.push(await it.turn(session));
      // What the store did is not told apart by session.
      return times.map(({ store: _store, ...rest }) => rest);
    }),
  );
  return { ms: systemClock.monotonic() - began, turns: each.flat() };
}
