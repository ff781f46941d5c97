import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Judged, mutantsRun } from "./mutants-run.ts";
import { mutants } from "./mutants.ts";
import { faultsIn, planted } from "./planting.ts";

const root = process.cwd();

describe("mutants of the sources", () => {
  test("are sixty at least, each applies exactly once, and their tests are there", async () => {
    assert.deepEqual(await faultsIn(root, mutants), []);
    assert.ok(mutants.length >= 60, `${mutants.length} mutants`);
  });

  test("are over all folders of the sources", () => {
    const folders = new Set(mutants.map(({ file }) => file.split("/")[1]));
    for (const folder of ["agent", "approvals", "config", "core", "host", "learning", "lib"])
      assert.ok(folders.has(folder), folder);
    for (const folder of [
      "models",
      "operations",
      "runtimes",
      "store",
      "surfaces",
      "tools",
      "transcript",
      "work",
    ])
      assert.ok(folders.has(folder), folder);
  });

  test("that no longer apply say so, and where", () => {
    const [mutant] = mutants;
    assert.ok(mutant);
    assert.throws(() => planted(mutant, ""), /no longer applies: its text stands 0 times in src\//);
    assert.throws(() => planted(mutant, mutant.find + mutant.find), /stands 2 times/);
  });

  test("are caught by a test that runs, and not by a file that cannot be loaded", async () => {
    const cheap = mutants.find(({ file }) => file === "src/core/spend.ts");
    assert.ok(cheap);
    const harmless = { ...cheap, name: "harmless", replace: `${cheap.find} * 1` };
    const broken = { ...cheap, name: "broken", replace: "} ( {" };
    const judged = await mutantsRun(root, [cheap, harmless, broken], () => {}, AbortSignal.timeout(60_000));
    assert.deepEqual(
      judged.map(({ name, caught }) => [name, caught]),
      [
        [cheap.name, true],
        ["harmless", false],
        ["broken", false],
      ],
    );
    assert.match(howOf(judged, cheap.name), /^test \d+ failed, “/);
    assert.match(howOf(judged, "harmless"), /stayed green$/);
    assert.match(howOf(judged, "broken"), /cannot be loaded/);
  });
});

const howOf = (judged: readonly Judged[], name: string): string =>
  judged.find((each) => each.name === name)?.how ?? "";
