import { leftProcesses } from "../hostile-model/left-processes.ts";
import { differences } from "./both-sides.ts";
import { type GhostModel, startGhostModel } from "./ghost-model.ts";
import type { OfferedTool } from "../../src/models/demo/demo-request.ts";
import type { SessionId } from "../../src/core/ids.ts";
import type { Step, Story } from "./story.ts";
import { type Mutant, type World, makeWorld } from "./world.ts";
import { asOwner } from "../../test/owners-host.ts";

export type GhostReport = {
  readonly stories: number;
  readonly turns: number;
  /** Names of the tools that were on offer. */
  readonly offered: readonly string[];
  readonly faults: readonly string[];
};

export type GhostOptions = {
  readonly model: string;
  readonly mutant?: Mutant;
  /** What to try of what is on offer. */
  readonly choose: (offered: readonly OfferedTool[]) => readonly Story[];
  readonly progress?: (line: string) => void;
};

/** Plays stories, and compares both sides after each turn. */
export async function ghostRun(options: GhostOptions): Promise<GhostReport> {
  let played: Played = { told: 0, turns: 0, offered: [], stories: [], faults: [] };
  do played = await inOneWorld(options, played);
  while (played.told < played.stories.length);
  const names = played.offered.map(({ name, namespace }) =>
    namespace === undefined ? name : `${namespace}.${name}`,
  );
  const { told, turns, faults } = played;
  return { stories: told, turns, offered: [...new Set(names)], faults };
}

type Played = Omit<GhostReport, "stories" | "offered"> & {
  /** How many of the stories. */
  readonly told: number;
  readonly stories: readonly Story[];
  readonly offered: readonly OfferedTool[];
};

/** Until something is wrong there: it would be wrong after every further turn. */
async function inOneWorld(
  { model, mutant, choose, progress }: GhostOptions,
  before: Played,
): Promise<Played> {
  await using server = await startGhostModel();
  await using world = await makeWorld(server.url, model, mutant);
  const first = { world, server, session: world.newSession() };
  const faults = [...(await play(first, "m0-0", { tries: [], way: "plain" }))];
  const offered = server.offered();
  const stories = before.told === 0 ? choose(offered) : before.stories;
  let { told } = before;
  for (const story of stories.slice(told)) {
    const found = await tell({ world, server, session: world.newSession() }, story, told + 1);
    faults.push(...found.map((fault) => `${model} ${story.name}, ${fault}`));
    progress?.(`${model} ${story.name}: ${found.length} faults`);
    told += 1;
    if (found.length > 0) break;
  }
  const turns = before.turns + world.sent();
  return { told, turns, offered, stories, faults: [...before.faults, ...faults] };
}

type Scene = { readonly world: World; readonly server: GhostModel; readonly session: SessionId };

/** After its last turn the person says Stop, and nothing of it may run on. */
async function tell(scene: Scene, { steps }: Story, number: number): Promise<readonly string[]> {
  for (const [at, step] of steps.entries()) {
    const faults = await play(scene, `m${number}-${at + 1}`, step);
    if (faults.length > 0) return faults.map((fault) => `turn ${at + 1}: ${fault}`);
  }
  await asOwner(scene.world.host()).call("turns.stop", { session: scene.session });
  await scene.server.quiet();
  const left = await compare(scene);
  const running = (await leftProcesses(scene.world)).map((process) => `it ${process}`);
  return [...left, ...running].map((fault) => `after Stop: ${fault}`);
}

/** One turn, and what is wrong after it. */
async function play({ world, server, session }: Scene, mark: string, step: Step): Promise<readonly string[]> {
  server.play(mark, step);
  if (step.way === "quit") await world.restart();
  const left = step.way === "quit" ? await compare({ world, server, session }) : [];
  const { ended } = await world.say(session, mark, step.way === "loop" ? "loop" : "codex");
  if (step.way === "stop") {
    await server.silent();
    await asOwner(world.host()).call("turns.stop", { session });
  }
  const { outcome = "never", fault } = (await ended) ?? {};
  await server.quiet();
  const wanted = step.way === "stop" ? "interrupted" : "done";
  return [
    ...left.map((difference) => `after quitting: ${difference}`),
    ...(outcome === wanted ? [] : [`it ended as ${outcome}: ${fault?.message ?? ""}`]),
    ...(await compare({ world, server, session })),
  ];
}

async function compare({ world, server, session }: Scene): Promise<readonly string[]> {
  const running = await asOwner(world.host()).call("processes.list", { session });
  return await differences(
    world,
    server.reported,
    running.map(({ command }) => command),
  );
}
