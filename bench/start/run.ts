import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { systemClock } from "../../src/lib/clock.ts";
import { parseDemoScript } from "../../test/fakes/demo-script.ts";
import { startDemoModel } from "../../test/fakes/demo-model.ts";
import { findCodex } from "../../src/runtimes/codex/process/binary.ts";
import { noPty } from "../../test/e2e/screen/pty.ts";
import { installPi } from "../loop/others.ts";
import { wholeRun } from "../whole-run.ts";
import { chatStart } from "./chat.ts";
import { type Home, type HomeMaker, homeMaker } from "./home.ts";
import type { Size } from "./sizes.ts";
import { driverProgram, piIn } from "./others.ts";
import { type Run, type StartName, answer, programs, startNames } from "./start.ts";

export type Measured = {
  readonly codex: string;
  /** Processes that wanted a core, over the minute before and at the end. */
  readonly load: { readonly before: number; readonly after: number };
  /** In a home with everything that the start before left there. */
  readonly warm: Runs;
  readonly fresh: Runs;
};

export type Runs = Readonly<Record<StartName, readonly Run[]>>;

type Start = (name: StartName, home: Home) => Promise<Run>;

export async function run(size: Size, log: (line: string) => void): Promise<Measured> {
  const before = loadavg()[0] ?? Number.NaN;
  const { signal } = new AbortController();
  const codex = await findCodex({ env: {}, ownRoot: resolve("."), clock: systemClock, signal });
  if ("code" in codex) throw new Error(codex.message);
  if (noPty !== false) log(`the chat is left out: ${noPty}`);
  const folder = await realpath(await mkdtemp(join(tmpdir(), "talaria-bench-start-")));
  await using parts = new AsyncDisposableStack();
  parts.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const model = parts.use(await startDemoModel({ clock: systemClock, script }));
  const whole = programs(codex.path);
  const newHome = homeMaker(folder, codex.path, model.url);
  const pi = size.pi ? await installPi(log) : undefined;
  const names = startNames.filter(
    (name) => (name !== "chat" || noPty === false) && (name !== "pi" || pi !== undefined),
  );
  const start: Start = async (name, home) => {
    const { cwd, env } = home;
    if (name === "chat") return chatStart(home);
    if (name === "driver") return wholeRun({ cwd, env, ...driverProgram(codex.path, env, cwd, model.url) });
    if (name === "pi") return wholeRun({ cwd, ...(await piIn(home, pi ?? "", model.url)) });
    return wholeRun({ ...whole[name], cwd, env });
  };
  const warm = await warmStarts(names, start, newHome, size);
  log(`${size.warm} starts of each in a used home`);
  const fresh = await freshStarts(names, start, newHome, size.fresh);
  log(`${size.fresh} starts of each in a fresh home`);
  const after = loadavg()[0] ?? Number.NaN;
  return { codex: codex.version, load: { before, after }, warm, fresh };
}

const script = parseDemoScript({ maxRequests: 1_000_000, otherwise: [{ text: answer, chunks: 4 }] });

type Names = readonly StartName[];

async function warmStarts(
  names: Names,
  start: Start,
  newHome: HomeMaker,
  { warmUp, warm }: Size,
): Promise<Runs> {
  await using opened = new AsyncDisposableStack();
  const homes = new Map<StartName, Home>();
  for (const name of names) {
    const home = opened.use(await newHome(name));
    homes.set(name, home);
    // Not every start makes it, but in a used home something has.
    await mkdir(home.state, { recursive: true, mode: 0o700 });
    for (let at = 0; at < warmUp; at += 1) await start(name, home);
  }
  return await inTurns(names, warm, async (name) => {
    const home = homes.get(name);
    if (home === undefined) throw new Error(`There is no home for ${name}.`);
    return start(name, home);
  });
}

const freshStarts = (names: Names, start: Start, newHome: HomeMaker, times: number): Promise<Runs> =>
  inTurns(names, times, async (name) => {
    await using home = await newHome(name);
    return await start(name, home);
  });

/** In both directions: who follows whom matters to what is still in the caches of the machine. */
async function inTurns(names: Names, times: number, once: (name: StartName) => Promise<Run>): Promise<Runs> {
  const runs = Object.fromEntries(startNames.map((name) => [name, []])) as unknown as Record<
    StartName,
    Run[]
  >;
  for (let at = 0; at < times; at += 1) {
    for (const name of at % 2 === 0 ? names : names.toReversed()) runs[name].push(await once(name));
  }
  return runs;
}
