import assert from "node:assert/strict";
import { test } from "node:test";
import { asOwner } from "../../test/owners-host.ts";
import { bench } from "./bench.ts";
import { ways } from "./ways.ts";
import { world } from "./world.ts";

test("followers that come and go see everything once, and those that never read cost little", async () => {
  const { faults } = await bench.run(bench.sizes.quick, { seed: 1, flags: {}, log: () => {} });
  assert.deepEqual(faults, []);
});

test("a cursor whose place was removed is a gap on every way, and what comes next is read behind it", async () => {
  await using it = await world("Yes.");
  await it.turns(2);
  const old = await it.end();
  await it.turns(2);
  await it.store.events.prune({ since: Number.MAX_SAFE_INTEGER, events: 0 }, 1000);
  for (const way of Object.values(ways)) {
    const end = await it.end();
    const left = new AbortController();
    const types: string[] = [];
    for await (const event of way(it, old, left.signal)) {
      types.push(event.type === "resume" ? event.resume : event.type);
      if (event.type === "resume") assert.equal(event.cursor, end);
      if (event.type === "resume") void it.turns(1);
      if (event.type === "ended") break;
    }
    assert.deepEqual([types[0], types.at(-1)], ["gap", "ended"]);
    await asOwner(it.host).call("host.status", {});
  }
});
