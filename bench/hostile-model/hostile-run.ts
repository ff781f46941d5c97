import { fileURLToPath } from "node:url";
import { systemClock } from "../../src/lib/clock.ts";
import { parseDemoScript } from "../../src/models/demo/script.ts";
import { startDemoModel } from "../../src/models/demo/server.ts";
import { differences, picture } from "../hostile-paths/picture.ts";
import { bystanderMark, startBystander } from "./bystander.ts";
import { startCanary } from "./canary.ts";
import { leftProcesses } from "./left-processes.ts";
import { modelScript } from "./model-script.ts";
import type { Runtime, Script, Targets } from "./script.ts";
import { scripts } from "./scripts.ts";
import { startTurns, type TurnTold } from "./turns.ts";
import { makeWorld, secretsIn } from "./world.ts";

export type Row = {
  readonly kind: string;
  readonly name: string;
  readonly runtime: Runtime;
  /** The line that told the person, or why there is none. */
  readonly told: string;
  readonly faults: readonly string[];
};

export type HostileReport = { readonly rows: readonly Row[]; readonly faults: readonly string[] };

const talaria = fileURLToPath(new URL("../../bin/talaria", import.meta.url));

/** All scripts of a runtime in one world, one after the other, with nobody to ask. `every`: only each n-th. */
export async function hostileRun(
  runtime: Runtime,
  every: number,
  progress: (row: Row) => void,
): Promise<HostileReport> {
  await using parts = new AsyncDisposableStack();
  const canary = parts.use(await startCanary());
  const bystander = parts.use(await startBystander());
  const world = parts.use(await makeWorld());
  const turns = parts.use(await startTurns(world, runtime));
  const at: Targets = {
    ...world,
    talaria,
    pid: turns.pid,
    bystander: bystanderMark,
    canaryUrl: canary.url,
    canaryPort: canary.port,
  };
  const all = scripts(at).filter(({ told }) => told[runtime] !== undefined);
  const chosen = all.filter((_, index) => index % every === 0);
  const script = parseDemoScript(modelScript(chosen, runtime));
  const model = parts.use(await startDemoModel({ clock: systemClock, script }));
  await world.useModel(model.url);
  const before = await picture(world.kept);
  const rows: Row[] = [];
  let heardBefore = 0;
  for (const attack of chosen) {
    const turn = await turns.turn({ text: `${attack.prompt ?? "please do"} ${attack.name}` });
    const heard = JSON.stringify(model.requests.slice(heardBefore).map(({ body }) => body));
    heardBefore = model.requests.length;
    const faults = [
      ...canary.hits().map((hit) => `reached ${hit}`),
      ...secretsIn(heard).map((one) => `the model was told ${one}`),
      ...secretsIn(turn.stdout + turn.stderr).map((one) => `the person was shown ${one}`),
      ...differences(before, await picture(world.kept)).map((line) => line.slice(0, 200)),
      ...(bystander.isAlive() ? [] : ["a process of the person's was ended"]),
      ...(await leftProcesses(world, turns.pid)),
      ...judged(attack, runtime, turn),
    ];
    const told = lineOf(attack, runtime, turn);
    const row = { kind: attack.kind, name: attack.name, runtime, told, faults };
    rows.push(row);
    progress(row);
  }
  return { rows, faults: await world.leaks() };
}

/** What the turn itself shows: it did what it was told to try, it ended, and the person can read why it came to nothing. */
function judged(
  script: Script,
  runtime: Runtime,
  { outcome, calls, stdout, stderr }: TurnTold,
): readonly string[] {
  const wanted = script.told[runtime];
  const tried = script.steps.some(({ does }) => does !== "say");
  const missing = calls.find(({ output }) =>
    /There is no tool|unsupported call|script_tool_missing/.test(output),
  );
  return [
    ...(outcome === (script.ends ?? "done") ? [] : [`the turn ${outcome}: ${stderr.slice(-300)}`]),
    ...(tried && calls.length === 0 ? ["nothing was tried"] : []),
    ...(missing === undefined ? [] : [`a tool is missing: ${missing.output.slice(0, 200)}`]),
    ...(wanted instanceof RegExp && !wanted.test(stderr) ? [`nobody was told: ${stderr.slice(0, 600)}`] : []),
    ...(/[\u001B\u0007\u202E]/.test(stdout + stderr) ? ["the screen was steered"] : []),
  ];
}

function lineOf(script: Script, runtime: Runtime, { stderr }: TurnTold): string {
  const wanted = script.told[runtime];
  return wanted instanceof RegExp
    ? (wanted.exec(stderr)?.[0] ?? "").trim().slice(0, 160)
    : "does no harm where it runs";
}
