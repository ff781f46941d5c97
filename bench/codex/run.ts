import { resolve } from "node:path";
import { systemClock } from "../../src/lib/clock.ts";
import { parseDemoScript } from "../../test/fakes/demo-script.ts";
import { startDemoModel } from "../../test/fakes/demo-model.ts";
import { findCodex } from "../../src/runtimes/codex/process/binary.ts";
import { type AcpSide, type Prompted, acpSide } from "./acp-side.ts";
import { hangWord } from "./place.ts";
import {
  type Batch,
  type Kill,
  type Memory,
  type Processor,
  type SideName,
  type TurnTimes,
  sideNames,
} from "./side.ts";
import { type SideProcess, sideProcess } from "./side-process.ts";

export type Size = {
  /** Warm turns of each side, one at a time, and how many come before them: V8 compiles what runs often for that long. */
  readonly warmTurns: number;
  readonly warmUp: number;
  /** Sessions at once, turns of each, and how often each side does that. */
  readonly atOnce: { readonly sessions: number; readonly turns: number; readonly times: number };
  /** Sessions that are open while memory is looked at. */
  readonly open: number;
  readonly kills: number;
  /** The warm turns also over ACP. */
  readonly acp: boolean;
  /** One process of each side for all of that, where its memory and its age do not matter. */
  readonly isShared: boolean;
};

/** Everything that was measured, of both sides. */
export type Measured = {
  readonly codex: string;
  readonly warm: Each<readonly TurnTimes[]>;
  /** The same over ACP, and the processor time of the agent for each. */
  readonly acp?: { readonly prompts: readonly Prompted[]; readonly cpuMs: number };
  readonly atOnce: Each<readonly Batch[]>;
  /** Of each turn at once. */
  readonly processor: Each<Processor>;
  readonly memory: Each<Memory>;
  readonly kills: readonly Kill[];
};

export type Each<T> = Readonly<Record<SideName, T>>;

export const forEach = <T>(pick: (name: SideName) => T): Each<T> => ({
  thin: pick("thin"),
  equal: pick("equal"),
  talaria: pick("talaria"),
});

/** Runs the sides in turns, so that a machine that gets slower or faster meanwhile does so for all. */
export async function run(size: Size, log: (line: string) => void): Promise<Measured> {
  const { signal } = new AbortController();
  const codex = await findCodex({ env: {}, ownRoot: resolve("."), clock: systemClock, signal });
  if ("code" in codex) throw new Error(codex.message);
  await using model = await startDemoModel({ clock: systemClock, script: script(size.kills) });
  const start = (name: SideName): Promise<SideProcess> => sideProcess(name, codex.path, model.url);
  const acp = (): Promise<AcpSide> => acpSide(codex.path, model.url);
  const measured = (using: UseSides): Promise<Omit<Measured, "codex">> => parts(size, using, acp, log);
  if (!size.isShared) return { codex: codex.version, ...(await measured((work) => withEach(start, work))) };
  const whole = await withEach(start, (each) => measured((work) => work(each)));
  return { codex: codex.version, ...whole };
}

type UseSides = <T>(work: (each: Each<SideProcess>) => Promise<T>) => Promise<T>;

async function parts(
  size: Size,
  using: UseSides,
  acp: () => Promise<AcpSide>,
  log: (line: string) => void,
): Promise<Omit<Measured, "codex">> {
  const warm = await using(async (each) => {
    await using editor = size.acp ? await acp() : undefined;
    return await warmTurns(each, editor, size);
  });
  log(`${size.warmTurns} warm turns on each side`);
  const { atOnce, processor } = await using((each) => turnsAtOnce(each, size.atOnce));
  log(`${size.atOnce.times} times ${size.atOnce.sessions} sessions at once on each side`);
  const memory = await using((each) => openSessions(each, size.open));
  log(`${size.open} open sessions on each side`);
  const kills = await using(({ talaria }) => killed(talaria, size.kills));
  log(`${kills.length} times codex was killed`);
  return { ...warm, atOnce, processor, memory, kills };
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

async function withEach<T>(
  start: (name: SideName) => Promise<SideProcess>,
  work: (each: Each<SideProcess>) => Promise<T>,
): Promise<T> {
  await using thin = await start("thin");
  await using equal = await start("equal");
  await using talaria = await start("talaria");
  return await work({ thin, equal, talaria });
}

async function warmTurns(
  each: Each<SideProcess>,
  editor: AcpSide | undefined,
  { warmTurns: count, warmUp }: Size,
): Promise<Pick<Measured, "warm" | "acp">> {
  const warm = forEach((): TurnTimes[] => []);
  const prompts: Prompted[] = [];
  for (const name of sideNames) await each[name].turns(1, warmUp);
  for (let at = 0; at < warmUp; at += 1) await editor?.prompt();
  const before = await editor?.processor();
  for (let at = 0; at < count; at += 1) {
    for (const name of inTurn(at)) warm[name].push(await each[name].turn(0));
    if (editor !== undefined) prompts.push(await editor.prompt());
  }
  if (editor === undefined || before === undefined) return { warm };
  return { warm, acp: { prompts, cpuMs: ((await editor.processor()) - before) / count } };
}

/** In both directions: who follows whom matters to what is still in the processor's caches. */
const inTurn = (at: number): readonly SideName[] => (at % 2 === 0 ? sideNames : sideNames.toReversed());

async function turnsAtOnce(
  each: Each<SideProcess>,
  { sessions, turns, times }: Size["atOnce"],
): Promise<Pick<Measured, "atOnce" | "processor">> {
  const atOnce = forEach((): Batch[] => []);
  for (const name of sideNames) await each[name].turns(sessions, 1);
  const before = await processorOf(each);
  for (let at = 0; at < times; at += 1) {
    for (const name of inTurn(at)) atOnce[name].push(await each[name].turns(sessions, turns));
  }
  const after = await processorOf(each);
  const count = sessions * turns * times;
  const processor = forEach((name) => ({
    ownMs: (after[name].ownMs - before[name].ownMs) / count,
    codexMs: (after[name].codexMs - before[name].codexMs) / count,
  }));
  return { atOnce, processor };
}

const processorOf = async ({ thin, equal, talaria }: Each<SideProcess>): Promise<Each<Processor>> => ({
  thin: await thin.processor(),
  equal: await equal.processor(),
  talaria: await talaria.processor(),
});

async function openSessions(each: Each<SideProcess>, count: number): Promise<Measured["memory"]> {
  for (const name of sideNames) await each[name].turns(count, 1);
  const { thin, equal, talaria } = each;
  return { thin: await thin.memory(), equal: await equal.memory(), talaria: await talaria.memory() };
}

async function killed(talaria: SideProcess, count: number): Promise<readonly Kill[]> {
  const kills: Kill[] = [];
  while (kills.length < count) kills.push(await talaria.kill());
  return kills;
}
