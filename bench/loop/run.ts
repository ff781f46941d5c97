import { systemClock } from "../../src/lib/clock.ts";
import { parseDemoScript } from "../../test/fakes/demo-script.ts";
import { type DemoModel, startDemoModel } from "../../test/fakes/demo-model.ts";
import { type ColdRuns, coldRuns } from "./cold.ts";
import { type Others, installOthers, noOthers } from "./others.ts";
import { newHome, newPlace } from "./place.ts";
import { buildPublished } from "./published.ts";
import { type RequestBody, type SideName, type SideOptions, type TurnTimes, answer } from "./side.ts";
import { type SideProcess, sideProcess } from "./side-process.ts";

export type Size = {
  /** Turns of each side before anything is counted, in which what runs often is compiled. */
  readonly warmUp: number;
  /** How often each side has its turn. */
  readonly blocks: number;
  /** Warm turns of a block, in one session, after one that opens it. */
  readonly turns: number;
  /** Whole programs, started and ended, of each kind. */
  readonly cold: number;
  /** Whether to measure what others have made, and ours as it is published. Theirs comes from the network once. */
  readonly others: boolean;
};

/** Everything that was measured. */
export type Measured = {
  readonly versions: Others["versions"];
  /** The blocks of each side, in the order in which they ran. */
  readonly warm: Readonly<Partial<Record<SideName, readonly Block[]>>>;
  readonly cold: ColdRuns;
  /** Bodies of requests in a block, to see that they ask the same. */
  readonly asked: { readonly plain: readonly unknown[]; readonly talaria: readonly unknown[] };
};

export type Block = readonly TurnTimes[];

export async function run(size: Size, log: (line: string) => void): Promise<Measured> {
  const others = size.others ? await installOthers(log) : noOthers;
  await using place = await newPlace();
  await using model = await startDemoModel({ clock: systemClock, script });
  const body = await ourBody(place, model);
  const names: readonly SideName[] =
    others.openai === undefined ? ownSides : [...ownSides, "openai", "toolkit"];
  const optionsOf = async (name: SideName): Promise<SideOptions> => ({
    name,
    modelUrl: model.url,
    folder: await newHome(place.folder, name, model.url),
    cwd: place.cwd,
    body,
    packages: others.openai ?? "",
  });
  const { warm, asked } = await warmTurns(names, optionsOf, model, size);
  log(`${size.blocks} blocks of ${size.turns} warm turns on each of ${names.join(", ")}`);
  const { folder, cwd } = place;
  const cold = await coldRuns({
    folder,
    cwd,
    modelUrl: model.url,
    times: size.cold,
    ...(size.others ? { published: await buildPublished(folder) } : {}),
    ...(others.pi === undefined ? {} : { pi: others.pi }),
  });
  log(`${size.cold} whole runs of each of ${Object.keys(cold).join(", ")}`);
  return { versions: others.versions, warm, cold, asked };
}

const ownSides: readonly SideName[] = ["plain", "durable", "talaria"];

/** Answers at once and in pieces, always with the same words. */
const script = parseDemoScript({ maxRequests: 1_000_000, otherwise: [{ text: answer, chunks: 16 }] });

/** What Talaria tells a model beside the conversation, taken from a turn of its own. */
async function ourBody(place: { folder: string; cwd: string }, model: DemoModel): Promise<RequestBody> {
  const folder = await newHome(place.folder, "body", model.url);
  const options = { name: "talaria", modelUrl: model.url, folder, cwd: place.cwd } as const;
  await using side = await sideProcess({ ...options, body: {}, packages: "" });
  await side.block(0);
  const { input: _, ...rest } = (await model.waitForRequest(1)).body;
  return rest;
}

async function warmTurns(
  names: readonly SideName[],
  optionsOf: (name: SideName) => Promise<SideOptions>,
  model: DemoModel,
  { warmUp, blocks, turns }: Size,
): Promise<Pick<Measured, "warm" | "asked">> {
  await using opened = new AsyncDisposableStack();
  const sides: [SideName, SideProcess][] = [];
  for (const name of names) sides.push([name, opened.use(await sideProcess(await optionsOf(name)))]);
  const warm: Partial<Record<SideName, Block[]>> = {};
  const asked: Partial<Record<SideName, readonly unknown[]>> = {};
  for (const [name, side] of sides) {
    await side.block(warmUp);
    const before = model.total;
    warm[name] = [await side.block(turns)];
    asked[name] = model.requests.slice(before).map(({ body }) => body);
  }
  for (let at = 1; at < blocks; at += 1) {
    // In both directions: who follows whom matters to what is still in the processor's caches.
    const order = at % 2 === 0 ? sides : sides.toReversed();
    for (const [name, side] of order) warm[name]?.push(await side.block(turns));
  }
  return { warm, asked: { plain: asked.plain ?? [], talaria: asked.talaria ?? [] } };
}
