import type { Bench } from "../bench.ts";
import type { MatrixSize } from "./grid.ts";
import { type Mutant, mutants } from "./mutants.ts";
import { type PeopleSize, hostilePeople } from "./people-run.ts";
import { whoDoesWhat } from "./who-does-what.ts";
import { secret } from "./world.ts";

type Size = {
  readonly matrix: MatrixSize;
  readonly loop: PeopleSize;
  readonly codex?: PeopleSize;
  readonly mutants: PeopleSize;
};

export const bench: Bench<Size> = {
  sizes: {
    quick: { matrix: "slice", loop: { words: 60, models: 9 }, mutants: { words: 150, models: 40 } },
    full: {
      matrix: "whole",
      loop: { words: 3, models: 1 },
      codex: { words: 400, models: 1 },
      mutants: { words: 60, models: 40 },
    },
  },
  flags: ["part"],
  async run(size, { flags, log }) {
    const wants = (part: string): boolean => flags["part"] === undefined || flags["part"] === part;
    const noticed = async ([name, mutant]: readonly [string, Mutant]) => {
      const { tripped, told } = await hostilePeople(size.mutants, "loop", mutant);
      log(`${name}: ${[...tripped, ...told][0] ?? "not noticed"}`);
      return { name, isCaught: tripped.length + told.length > 0 };
    };
    const codexSize = wants("codex") ? size.codex : undefined;
    // At once, in homes of their own: mostly they wait for the next piece of a message.
    const [unlike, loop, codex, tried] = await Promise.all([
      wants("matrix") ? whoDoesWhat(size.matrix) : [],
      wants("loop") ? hostilePeople(size.loop) : undefined,
      codexSize && hostilePeople(codexSize, "codex_app_server"),
      Promise.all((wants("mutants") ? Object.entries(mutants) : []).map(noticed)),
    ]);
    const caught = tried.filter(({ isCaught }) => isCaught);
    const missed = tried.filter(({ isCaught }) => !isCaught);
    const reports = [loop, codex].filter((report) => report !== undefined);
    // Codex lets commands read what lies in the folder that a member may work in.
    const open = (codex?.told ?? []).filter((one) => one === secret("project"));
    return {
      figures: {
        loop: loop?.tried,
        codex: codex?.tried,
        tripped: reports.reduce((sum, { tripped }) => sum + tripped.length, 0),
        told: reports.reduce((sum, { told }) => sum + told.length, 0) - open.length,
        open: open.length,
        mutants: caught.length,
      },
      faults: [
        ...unlike,
        ...reports.flatMap(({ tripped, told }) => [
          ...tripped,
          ...told.filter((one) => !open.includes(one)).map((one) => `${one} was told`),
        ]),
        ...missed.map(({ name }) => `nobody noticed: ${name}`),
      ],
    };
  },
};
