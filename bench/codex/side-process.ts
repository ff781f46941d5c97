import { fileURLToPath } from "node:url";
import { spawnChild } from "../../src/lib/process/child.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { lines } from "../../src/lib/rpc/jsonl.ts";
import { launcherFlags, ownSources } from "../own-child.ts";
import { type Place, environment, newPlace } from "./place.ts";
import type { Batch, Kill, Memory, Order, Processor, SideName, TurnTimes } from "./side.ts";

/** A side, from outside. One order at a time. */
export type SideProcess = AsyncDisposable & {
  turn(session: number): Promise<TurnTimes>;
  turns(sessions: number, turns: number): Promise<Batch>;
  memory(): Promise<Memory>;
  processor(): Promise<Processor>;
  kill(): Promise<Kill>;
};

const program = fileURLToPath(new URL("side.child.ts", import.meta.url));

/** Starts it in a place of its own. */
export async function sideProcess(name: SideName, binary: string, modelUrl: string): Promise<SideProcess> {
  await using opened = new AsyncDisposableStack();
  const place = opened.use(await newPlace(binary, modelUrl));
  const child = opened.use(await spawn(name, place));
  const answers = lines(child.stdout);
  const kept = opened.move();
  async function order(wanted: Order): Promise<unknown> {
    await child.write(`${JSON.stringify(wanted)}\n`);
    const { value, done } = await answers.next();
    if (done === true) throw new Error(`The ${name} side ended: ${(await child.exited).stderrTail}`);
    return JSON.parse(value);
  }
  return {
    turn: async (session) => (await order({ do: "turn", session })) as TurnTimes,
    turns: async (sessions, turns) => (await order({ do: "turns", sessions, turns })) as Batch,
    memory: async () => (await order({ do: "memory" })) as Memory,
    processor: async () => (await order({ do: "processor" })) as Processor,
    kill: async () => (await order({ do: "kill" })) as Kill,
    async [Symbol.asyncDispose]() {
      child.closeInput();
      await child.exited;
      await kept.disposeAsync();
    },
  };
}

const spawn = (name: SideName, place: Place): ReturnType<typeof spawnChild> =>
  spawnChild({
    command: process.execPath,
    args: [...launcherFlags, ...ownSources, program, name, JSON.stringify(place)],
    cwd: process.cwd(),
    env: { ...environment(place) },
    kind: "bench-side",
    registry: { add: async () => {}, remove: async () => {} },
    clock: systemClock,
    grace: { inputMs: 8_000, termMs: 2_000 },
  });
