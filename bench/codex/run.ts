import { resolve } from "node:path";
import { systemClock } from "../../src/lib/clock.ts";
import { parseDemoScript } from "../../src/models/demo/script.ts";
import { startDemoModel } from "../../src/models/demo/server.ts";
import { findCodex } from "../../src/runtimes/codex/binary.ts";
import { hangWord } from "./place.ts";
import type { Batch, Kill, Memory, SideName, TurnTimes } from "./side.ts";
import { type SideProcess, sideProcess } from "./side-process.ts";
import type { Size } from "./sizes.ts";

/** Everything that was measured, of both sides. */
export type Measured = {
  readonly codex: string;
  readonly warm: Both<readonly TurnTimes[]>;
  readonly atOnce: Both<readonly Batch[]>;
  readonly memory: Both<Memory>;
  readonly kills: readonly Kill[];
};

export type Both<T> = Readonly<Record<SideName, T>>;

const sides: readonly SideName[] = ["thin", "talaria"];

/** Runs both sides in turns, so that a machine that gets slower or faster meanwhile does so for both. */
export async function run(size: Size, log: (line: string) => void): Promise<Measured> {
  const { signal } = new AbortController();
  const codex = await findCodex({ env: {}, ownRoot: resolve("."), clock: systemClock, signal });
  if ("code" in codex) throw new Error(codex.message);
  await using model = await startDemoModel({ clock: systemClock, script: script(size.kills) });
  const start = (name: SideName): Promise<SideProcess> => sideProcess(name, codex.path, model.url);
  const warm = await withBoth(start, (both) => warmTurns(both, size.warmTurns));
  log(`${size.warmTurns} warm turns on each side`);
  const atOnce = await withBoth(start, (both) => turnsAtOnce(both, size.atOnce));
  log(`${size.atOnce.times} times ${size.atOnce.sessions} sessions at once on each side`);
  const memory = await withBoth(start, (both) => openSessions(both, size.open));
  log(`${size.open} open sessions on each side`);
  const kills = await killed(start, size.kills);
  log(`${kills.length} times codex was killed`);
  return { codex: codex.version, warm, atOnce, memory, kills };
}

/** Answers at once and with the same words; hangs only when it is told to. */
const script = (hangs: number): ReturnType<typeof parseDemoScript> =>
  parseDemoScript({
    maxRequests: 1_000_000,
    steps: Array.from({ length: hangs }, () => ({
      when: `^${hangWord}$`,
      reply: [{ text: "Let me think." }, { hang: true }],
    })),
    otherwise: [{ text: "Understood, and done as you said." }],
  });

async function withBoth<T>(
  start: (name: SideName) => Promise<SideProcess>,
  work: (both: Both<SideProcess>) => Promise<T>,
): Promise<T> {
  await using thin = await start("thin");
  await using talaria = await start("talaria");
  return await work({ thin, talaria });
}

async function warmTurns(both: Both<SideProcess>, count: number): Promise<Measured["warm"]> {
  const times = { thin: [] as TurnTimes[], talaria: [] as TurnTimes[] };
  for (const name of sides) await both[name].turns(1, warmUp);
  for (let at = 0; at < count; at += 1) {
    for (const name of inTurn(at)) times[name].push(await both[name].turn(0));
  }
  return times;
}

/** The first turns start codex and its thread, and compile what runs often. */
const warmUp = 5;

const inTurn = (at: number): readonly SideName[] => (at % 2 === 0 ? sides : sides.toReversed());

async function turnsAtOnce(
  both: Both<SideProcess>,
  { sessions, turns, times }: Size["atOnce"],
): Promise<Measured["atOnce"]> {
  const batches = { thin: [] as Batch[], talaria: [] as Batch[] };
  for (const name of sides) await both[name].turns(sessions, 1);
  for (let at = 0; at < times; at += 1) {
    for (const name of inTurn(at)) batches[name].push(await both[name].turns(sessions, turns));
  }
  return batches;
}

async function openSessions(both: Both<SideProcess>, count: number): Promise<Measured["memory"]> {
  for (const name of sides) await both[name].turns(count, 1);
  return { thin: await both.thin.memory(), talaria: await both.talaria.memory() };
}

async function killed(
  start: (name: SideName) => Promise<SideProcess>,
  count: number,
): Promise<readonly Kill[]> {
  await using talaria = await start("talaria");
  const kills: Kill[] = [];
  while (kills.length < count) kills.push(await talaria.kill());
  return kills;
}
