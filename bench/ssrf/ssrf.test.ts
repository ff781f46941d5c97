import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bench } from "./bench.ts";
import { controls } from "./controls.ts";
import { mutants } from "./mutants.ts";
import { allVectors, ssrfRun } from "./ssrf-run.ts";
import { controlFaults, faultsIn } from "./verdict.ts";
import { openWorld } from "./world.ts";

const { quick } = bench.sizes;

describe("addresses that lead inside", () => {
  test("reach no canary, however they are written, redirected or resolved", async () => {
    await using world = await openWorld();
    const run = await ssrfRun(world, allVectors(world.port, 7, quick.guard));
    assert.deepEqual(faultsIn(run), []);
  });

  test("would reach one without the guard, and one entry of allow_private opens one door", async () => {
    await using world = await openWorld();
    assert.deepEqual(controlFaults(await controls(world)), []);
  });

  for (const [name, mutant] of Object.entries(mutants)) {
    test(`reach one when the guard ${name}`, async () => {
      await using world = await openWorld();
      const { hits } = await ssrfRun(world, allVectors(world.port, 7, quick.mutants), mutant);
      assert.notEqual(hits, 0);
    });
  }
});
