import { fileURLToPath } from "node:url";
import { systemClock } from "../../src/lib/clock.ts";
import { parseDemoScript } from "../../test/fakes/demo-script.ts";
import { type DemoModel, startDemoModel } from "../../test/fakes/demo-model.ts";
import { differences, picture } from "../hostile-paths/picture.ts";
import { bystanderMark, startBystander } from "./bystander.ts";
import { type Canary, startCanary } from "./canary.ts";
import { leftProcesses } from "./left-processes.ts";
import { allowedOf, firstOf, modelScript } from "./model-script.ts";
import type { Runtime, Script } from "./script.ts";
import { scripts } from "./scripts.ts";
import { startTurns, type Turns, type TurnTold } from "./turns.ts";
import { makeWorld, secretsIn, type World } from "./world.ts";

export type Row = {
  readonly kind: string;
  readonly name: string;
  readonly runtime: Runtime;
  /** The line that told the person, or why there is none. */
  readonly told: string;
  /** Secrets that the model or the person's screen got. */
  readonly leaked: readonly string[];
  readonly faults: readonly string[];
};

export type HostileReport = {
  readonly rows: readonly Row[];
  readonly faults: readonly string[];
  /** Of those that were allowed. */
  readonly allowed: readonly Row[];
};

const talaria = fileURLToPath(new URL("../../bin/talaria", import.meta.url));

export type HostileOptions = {
  readonly runtime: Runtime;
  readonly choose: (script: Script, index: number) => boolean;
  /** Tried in the end with everything allowed beforehand that would be asked: that has to show. */
  readonly isAllowed: (script: Script) => boolean;
  readonly progress?: ((row: Row) => void) | undefined;
};

/** Scripts of a runtime in one world, one after the other, with nobody to ask. */
export async function hostileRun(options: HostileOptions): Promise<HostileReport> {
  const { runtime, choose, isAllowed, progress } = options;
  await using parts = new AsyncDisposableStack();
  const canary = parts.use(await startCanary());
  const bystander = parts.use(await startBystander());
  const world = parts.use(await makeWorld());
  const turns = parts.use(await startTurns(world, runtime));
  const possible = scripts({
    ...world,
    talaria,
    pid: turns.pid,
    bystander: bystanderMark,
    canaryUrl: canary.url,
    canaryPort: canary.port,
  }).filter(({ told }) => told[runtime] !== undefined);
  const [chosen, twins] = [possible.filter(choose), possible.filter(isAllowed)];
  const script = parseDemoScript(modelScript(chosen, twins, runtime));
  const model = parts.use(await startDemoModel({ clock: systemClock, script }));
  await world.useModel(model.url);
  const scene = { runtime, canary, bystander, world, turns, model };
  let before = await picture(world.kept);
  const rows: Row[] = [];
  const open = new Set<string>();
  for (const each of chosen) {
    const isReady = await isPrepared(turns, each);
    if (each.before !== undefined) before = await picture(world.kept);
    const row = await attack(scene, each, before, "none");
    if (each.told[runtime] === "open") row.leaked.forEach((one) => open.add(one));
    rows.push(isReady ? row : { ...row, faults: [...row.faults, "what was allowed before was not done"] });
    progress?.(row);
  }
  const leaks = await world.leaks();
  const allowed: Row[] = [];
  for (const twin of twins) allowed.push(await attack(scene, twin, await picture(world.kept), "all"));
  return { rows, faults: leaks.filter((leak) => ![...open].some((one) => leak.includes(one))), allowed };
}

/** The turn before it, in which the person is there. */
async function isPrepared(turns: Turns, { name, before }: Script): Promise<boolean> {
  if (before === undefined) return true;
  const { calls } = await turns.turn({
    text: `please do ${firstOf(name)}`,
    attended: "yes",
    talk: `${name} none`,
  });
  return calls.at(-1)?.ok === true;
}

type Scene = {
  readonly runtime: Runtime;
  readonly canary: Canary;
  readonly bystander: { isAlive(): boolean };
  readonly world: World;
  readonly turns: Turns;
  readonly model: DemoModel;
};

/** One script, and what it changed against the picture from before. */
async function attack(
  { runtime, canary, bystander, world, turns, model }: Scene,
  script: Script,
  before: readonly string[],
  attended: "none" | "all",
): Promise<Row> {
  const { kind, name, prompt = "please do", told } = script;
  const heardBefore = model.requests.length;
  const said = attended === "all" ? allowedOf(name) : name;
  const turn = await turns.turn({ text: `${prompt} ${said}`, attended, talk: `${name} ${attended}` });
  const heard = JSON.stringify(model.requests.slice(heardBefore).map(({ body }) => body));
  const leaked = secretsIn(heard + turn.stdout + turn.stderr);
  const faults = [
    ...canary.hits().map((hit) => `reached ${hit}`),
    ...(told[runtime] === "open" ? [] : leaked.map((one) => `${one} was told`)),
    ...differences(before, await picture(world.kept)).map((line) => line.slice(0, 200)),
    ...(bystander.isAlive() ? [] : ["a process of the person's was ended"]),
    ...(await leftProcesses(world)),
    ...judged(script, runtime, turn, heard),
  ];
  return { kind, name, runtime, told: lineOf(script, runtime, turn), leaked, faults };
}

/** What the turn itself shows: it did what it was told to try, it ended, and the person can read why it came to nothing. */
function judged(
  script: Script,
  runtime: Runtime,
  { outcome, calls, stdout, stderr }: TurnTold,
  heard: string,
): readonly string[] {
  const wanted = script.told[runtime];
  const isTried = script.steps.at(-1)?.does === "say" || /_call_output"/.test(heard);
  const missing = calls.find(({ output }) =>
    /There is no tool|unsupported call|script_tool_missing/.test(output),
  );
  return [
    ...(outcome === (script.ends ?? "done") ? [] : [`the turn ${outcome}: ${stderr.slice(-300)}`]),
    ...(isTried ? [] : ["nothing was tried"]),
    ...(missing === undefined ? [] : [`a tool is missing: ${missing.output.slice(0, 200)}`]),
    ...(wanted instanceof RegExp && !wanted.test(stderr) ? [`nobody was told: ${stderr.slice(0, 600)}`] : []),
    ...(steering.some((sign) => (stdout + stderr).includes(sign)) ? ["the screen was steered"] : []),
  ];
}

/** They would move the cursor, ring, or turn the text around. */
const steering = ["\u001B", "\u0007", "\u202E"];

function lineOf(script: Script, runtime: Runtime, { stderr }: TurnTold): string {
  const wanted = script.told[runtime] ?? "bounded";
  if (wanted instanceof RegExp) return (wanted.exec(stderr)?.[0] ?? "").trim().slice(0, 160);
  return words[wanted];
}

const words = {
  bounded: "does no harm where it runs",
  open: "codex lets commands read it",
} as const;
