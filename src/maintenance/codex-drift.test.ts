import assert from "node:assert/strict";
import { test } from "node:test";
import { testHome } from "../../test/fakes/test-agent.ts";
import { knownDrift, noteDrift } from "./codex-drift.ts";

test("what codex says beyond our knowledge is counted over turns, and bounded", async () => {
  await using home = await testHome();
  const { disk } = home;
  assert.deepEqual(await knownDrift(disk), {});
  await noteDrift(disk, new Map([["item newThing", 2]]));
  await noteDrift(
    disk,
    new Map([
      ["item newThing", 1],
      ["notification a/b", 1],
    ]),
  );
  assert.deepEqual(await knownDrift(disk), { "item newThing": 3, "notification a/b": 1 });
  await noteDrift(disk, new Map(Array.from({ length: 100 }, (_, at) => [`n${at}`, 1] as const)));
  assert.equal(Object.keys(await knownDrift(disk)).length, 40);
});
