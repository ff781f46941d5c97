import { loadavg } from "node:os";
import { resolve } from "node:path";
import { systemClock } from "../../src/lib/clock.ts";
import { startDemoModel } from "../../test/fakes/demo-model.ts";
import { findCodex } from "../../src/runtimes/codex/process/binary.ts";
import { type Thread, newThread } from "../../test/e2e/acp/thread.ts";
import { type Death, type Leaving, agentKilled, codexThenEditorGone } from "./kills.ts";
import { memoryIn, processesIn } from "./processes.ts";
import { answer, script } from "./script.ts";
import { type Each, type Side, type SideName, forEach, newSide, sideNames } from "./side.ts";
import type { Size } from "./sizes.ts";

export type Prompted = {
  /** To its first word, and to its end. */
  readonly wordMs: number;
  readonly endedMs: number;
  readonly done: boolean;
};

/** From the start of the agent. */
export type Cold = Prompted & {
  readonly introducedMs: number;
  readonly openedMs: number;
  /** Of the agent and all that it started, after the answer. */
  readonly memoryMiB: number;
  readonly processes: number;
};

export type Measured = {
  readonly codex: string;
  /** Processes that wanted a core, over the minute before and at the end. */
  readonly load: { readonly before: number; readonly after: number };
  readonly warm: Each<readonly Prompted[]>;
  readonly cold: Each<readonly Cold[]>;
  readonly codexKilled: Each<readonly Death[]>;
  readonly agentKilled: Each<readonly Death[]>;
  readonly editorGone: Each<readonly Leaving[]>;
};

/** Runs the agents in turns, so that a machine that gets slower or faster meanwhile does so for both. */
export async function run(size: Size, log: (line: string) => void): Promise<Measured> {
  const before = loadavg()[0] ?? Number.NaN;
  const { signal } = new AbortController();
  const codex = await findCodex({ env: {}, ownRoot: resolve("."), clock: systemClock, signal });
  if ("code" in codex) throw new Error(codex.message);
  await using model = await startDemoModel({ clock: systemClock, script: script(6 * size.kills) });
  await using adapter = await newSide("adapter", codex.path, model.url);
  await using talaria = await newSide("talaria", codex.path, model.url);
  const sides = { adapter, talaria };
  const inTurns = turns(size);
  const separate = size.together ? undefined : await warmPrompts(sides, size);
  const cold = await inTurns(size.cold, (name) => coldStart(sides[name], size.together ? size.warm : 0));
  const warm = separate ?? forEach((name) => cold[name].flatMap(({ next }) => next));
  log(`${size.warm} warm prompts and ${size.cold} starts of each agent`);
  const gone = await inTurns(size.kills, (name) => codexThenEditorGone(sides[name]), size.killed);
  const deaths = {
    codexKilled: forEach((name) => gone[name].map((each) => each.codexKilled)),
    agentKilled: await inTurns(size.kills, (name) => agentKilled(sides[name]), size.killed),
    editorGone: forEach((name) => gone[name].map((each) => each.editorGone)),
  };
  log(`${size.kills} times codex, the agent and the editor were gone under each`);
  const load = { before, after: loadavg()[0] ?? Number.NaN };
  return { codex: codex.version, load, warm, cold, ...deaths };
}

async function warmPrompts(sides: Each<Side>, size: Size): Promise<Measured["warm"]> {
  await using opened = new AsyncDisposableStack();
  const asking = new Map<SideName, () => Promise<Prompted>>();
  for (const name of sideNames) {
    const { start, place } = sides[name];
    const editor = opened.use(await start());
    const thread = await newThread(editor, place.cwd);
    asking.set(name, () => prompted(thread, (fits) => editor.hears(fits)));
    for (let at = 0; at < size.warmUp; at += 1) await thread.prompt("hi");
  }
  return await turns(size)(size.warm, async (name) => {
    const ask = asking.get(name);
    if (ask === undefined) throw new Error(`There is no agent ${name}.`);
    return ask();
  });
}

/** `warm`: so many further prompts to the same agent. */
async function coldStart(
  { start, place }: Side,
  warm: number,
): Promise<Cold & { readonly next: readonly Prompted[] }> {
  const since = systemClock.monotonic();
  const elapsed = (): number => systemClock.monotonic() - since;
  await using editor = await start();
  const introducedMs = elapsed();
  const thread = await newThread(editor, place.cwd);
  const openedMs = elapsed();
  const ask = (): Promise<Prompted> => prompted(thread, (fits) => editor.hears(fits));
  const { wordMs, endedMs, done } = await ask();
  const processes = (await processesIn(place)).length;
  const memoryMiB = await memoryIn(place);
  const next: Prompted[] = [];
  while (next.length < warm) next.push(await ask());
  return {
    next,
    introducedMs,
    openedMs,
    wordMs: openedMs + wordMs,
    endedMs: openedMs + endedMs,
    done,
    memoryMiB,
    processes,
  };
}

async function prompted(thread: Thread, hears: (fits: () => boolean) => Promise<unknown>): Promise<Prompted> {
  const before = thread.said().length;
  const since = systemClock.monotonic();
  const word = hears(() => thread.said().length > before).then(() => systemClock.monotonic() - since);
  const { stopReason } = await thread.prompt("hi");
  const endedMs = systemClock.monotonic() - since;
  const done = stopReason === "end_turn" && thread.said().slice(before).trim() === answer;
  return { wordMs: done ? await word : Number.NaN, endedMs, done };
}

type InTurns = <Result>(
  times: number,
  once: (name: SideName) => Promise<Result>,
  who?: readonly SideName[],
) => Promise<Each<readonly Result[]>>;

/** In both directions: who follows whom matters to what is still in the caches of the machine. */
const turns =
  ({ together }: Size): InTurns =>
  async (times, once, who = sideNames) => {
    const results = forEach((): Awaited<ReturnType<typeof once>>[] => []);
    for (let at = 0; at < times; at += 1) {
      const order = at % 2 === 0 ? who : who.toReversed();
      const one = async (name: SideName): Promise<void> => void results[name].push(await once(name));
      if (together) await Promise.all(order.map(one));
      else for (const name of order) await one(name);
    }
    return results;
  };
