import { differences } from "./both-sides.ts";
import { type GhostModel, startGhostModel } from "./ghost-model.ts";
import type { OfferedTool } from "../../src/models/demo/conversation.ts";
import type { SessionId } from "../../src/core/ids.ts";
import type { Step, Story } from "./story.ts";
import { type Mutant, type World, makeWorld } from "./world.ts";

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

/** Plays stories in one world, and compares both sides after each turn. */
export async function ghostRun({ model, mutant, choose, progress }: GhostOptions): Promise<GhostReport> {
  await using server = await startGhostModel();
  await using world = await makeWorld(server.url, model, mutant);
  const begun = await play(world, server, world.newSession(), "m0-0", { tries: [], way: "plain" });
  const offered = server.offered();
  const stories = choose(offered);
  const faults = begun.map((fault) => `the first turn: ${fault}`);
  for (const [at, { name, steps }] of stories.entries()) {
    const session = world.newSession();
    const found: string[] = [];
    for (const [turn, step] of steps.entries()) {
      const mark = `m${at + 1}-${turn + 1}`;
      found.push(
        ...(await play(world, server, session, mark, step)).map((fault) => `turn ${turn + 1}: ${fault}`),
      );
    }
    faults.push(...found.map((fault) => `${model} ${name}, ${fault}`));
    progress?.(`${model} ${name}: ${found.length} faults`);
    // What was found once would be found again after every turn.
    if (found.length > 0) break;
  }
  const names = [
    ...new Set(offered.map(({ name, namespace }) => (namespace ? `${namespace}.${name}` : name))),
  ];
  return { stories: stories.length, turns: world.sent(), offered: names, faults };
}

/** One turn, and what is wrong after it. */
async function play(
  world: World,
  server: GhostModel,
  session: SessionId,
  mark: string,
  step: Step,
): Promise<readonly string[]> {
  server.play(mark, step);
  if (step.way === "quit") await world.restart();
  const { ended } = await world.say(session, mark, step.way === "loop" ? "loop" : "codex");
  if (step.way === "stop") {
    await server.silent();
    await world.host().stop(session);
  }
  const { outcome = "never", fault } = (await ended) ?? {};
  await server.quiet();
  const wanted = step.way === "stop" ? "interrupted" : "done";
  return [
    ...(outcome === wanted ? [] : [`it ended as ${outcome}: ${fault?.message ?? ""}`]),
    ...(await differences(world, server.reported, () => false)),
  ];
}
