import { fileURLToPath } from "node:url";
import { systemClock } from "../../src/lib/clock.ts";
import { parseDemoScript } from "../../test/fakes/demo-script.ts";
import { startDemoModel } from "../../test/fakes/demo-model.ts";
import { differences, picture } from "../hostile-paths/picture.ts";
import { bystanderMark, startBystander } from "./bystander.ts";
import { startCanary } from "./canary.ts";
import { leftProcesses } from "./left-processes.ts";
import { firstOf, modelScript } from "./model-script.ts";
import type { Runtime, Script } from "./script.ts";
import { scripts } from "./scripts.ts";
import { startTurns, type TurnTold } from "./turns.ts";
import { makeWorld, secretsIn } from "./world.ts";

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

export type HostileReport = { readonly rows: readonly Row[]; readonly faults: readonly string[] };

const talaria = fileURLToPath(new URL("../../bin/talaria", import.meta.url));

export type HostileOptions = {
  readonly runtime: Runtime;
  /** Not there: nobody can be asked. `all`: whatever would ask was allowed beforehand, which has to show. */
  readonly attended: "none" | "all";
  readonly choose: (script: Script, index: number) => boolean;
  readonly progress?: (row: Row) => void;
};

/** Scripts of a runtime in one world, one after the other. */
export async function hostileRun(options: HostileOptions): Promise<HostileReport> {
  const { runtime, attended, choose, progress } = options;
  await using parts = new AsyncDisposableStack();
  const canary = parts.use(await startCanary());
  const bystander = parts.use(await startBystander());
  const world = parts.use(await makeWorld());
  const turns = parts.use(await startTurns(world, runtime));
  const chosen = scripts({
    ...world,
    talaria,
    pid: turns.pid,
    bystander: bystanderMark,
    canaryUrl: canary.url,
    canaryPort: canary.port,
  })
    .filter(({ told }) => told[runtime] !== undefined)
    .filter(choose);
  const script = parseDemoScript(modelScript(chosen, runtime));
  const model = parts.use(await startDemoModel({ clock: systemClock, script }));
  await world.useModel(model.url);
  let before = await picture(world.kept);
  const rows: Row[] = [];
  const open = new Set<string>();
  let heardBefore = 0;
  for (const attack of chosen) {
    const text = `${attack.prompt ?? "please do"} ${attack.name}`;
    let allowed = true;
    if (attack.before !== undefined) {
      const first = {
        text: `please do ${firstOf(attack.name)}`,
        attended: "yes",
        talk: attack.name,
      } as const;
      allowed = (await turns.turn(first)).calls.at(-1)?.ok === true;
      before = await picture(world.kept);
      heardBefore = model.requests.length;
    }
    const turn = await turns.turn({ text, attended, talk: attack.name });
    const heard = JSON.stringify(model.requests.slice(heardBefore).map(({ body }) => body));
    heardBefore = model.requests.length;
    const leaked = secretsIn(heard + turn.stdout + turn.stderr);
    if (attack.told[runtime] === "open") leaked.forEach((one) => open.add(one));
    const faults = [
      ...canary.hits().map((hit) => `reached ${hit}`),
      ...(attack.told[runtime] === "open" ? [] : leaked.map((one) => `${one} was told`)),
      ...differences(before, await picture(world.kept)).map((line) => line.slice(0, 200)),
      ...(bystander.isAlive() ? [] : ["a process of the person's was ended"]),
      ...(await leftProcesses(world)),
      ...judged(attack, runtime, turn, heard),
      ...(allowed ? [] : ["what the person allowed before was not done"]),
    ];
    const { kind, name } = attack;
    const row = { kind, name, runtime, told: lineOf(attack, runtime, turn), leaked, faults };
    rows.push(row);
    progress?.(row);
  }
  const leaks = await world.leaks();
  return { rows, faults: leaks.filter((leak) => ![...open].some((one) => leak.includes(one))) };
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
