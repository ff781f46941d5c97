import { type GhostReport, ghostRun } from "./ghost-run.ts";
import { type Model, type Size, models, mutants } from "./sizes.ts";
import { storiesOf } from "./story.ts";

export type WholeReport = {
  readonly runs: Readonly<Record<Model, GhostReport>>;
  readonly faults: readonly string[];
  /** What was found wrong in each world that is wrong by intention. */
  readonly mutants: Readonly<Record<string, number>>;
};

export async function wholeRun(size: Size, progress: (line: string) => void): Promise<WholeReport> {
  const [classic, code] = [await real(models[0]), await real(models[1])];
  const found: Record<string, number> = {};
  for (const [mutant, model, tool] of mutants) {
    const { faults } = await ghostRun({
      model,
      mutant,
      choose: (offered) => storiesOf(offered, [[tool, undefined, "plain"]]),
    });
    found[mutant] = faults.length;
    progress(`${mutant}: ${faults.length} faults`);
  }
  const unnoticed = mutants.flatMap(([name]) => (found[name] === 0 ? [`nobody noticed ${name}`] : []));
  const faults = [...classic.faults, ...code.faults, ...unnoticed];
  return { runs: { "gpt-5.5": classic, "gpt-6.1-sol": code }, faults, mutants: found };

  function real(model: Model): Promise<GhostReport> {
    return ghostRun({ model, choose: (offered) => size(model, offered), progress });
  }
}
