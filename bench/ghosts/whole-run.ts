import type { OfferedTool } from "../../src/models/demo/demo-request.ts";
import { type GhostReport, ghostRun } from "./ghost-run.ts";
import { type Model, type Size, models, mutants } from "./sizes.ts";
import { type Story, storyOf } from "./story.ts";

export type WholeReport = {
  readonly runs: Readonly<Record<Model, GhostReport>>;
  readonly faults: readonly string[];
  /** What was found wrong in each world that is wrong by intention. */
  readonly mutants: Readonly<Record<string, number>>;
};

/** All at the same time: mostly they wait for whether something more comes. */
export async function wholeRun(size: Size, progress: (line: string) => void): Promise<WholeReport> {
  const real = (model: Model): Promise<GhostReport> =>
    ghostRun({ model, choose: (offered) => size(model, offered), progress });
  const wrong = mutants.map(async ([mutant, model, tool]) => {
    const choose = (offered: readonly OfferedTool[]): readonly Story[] => [storyOf(offered, [[tool]])];
    return [mutant, (await ghostRun({ model, mutant, choose })).faults.length] as const;
  });
  const [classic, code, ...found] = await Promise.all([real(models[0]), real(models[1]), ...wrong]);
  const unnoticed = found.flatMap(([name, faults]) => (faults === 0 ? [`nobody noticed ${name}`] : []));
  return {
    runs: { [models[0]]: classic, [models[1]]: code },
    faults: [...classic.faults, ...code.faults, ...unnoticed],
    mutants: Object.fromEntries(found),
  };
}
