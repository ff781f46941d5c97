import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { closing } from "../closing.ts";
import { pruneEvents } from "./event-retention.ts";

/** A log of which so many are too old. */
function oldEvents(count: number) {
  let left = count;
  const calls: number[] = [];
  const wanted: { readonly since: number; readonly events: number }[] = [];
  const prune = async (keep: { readonly since: number; readonly events: number }, steps: number) => {
    const gone = Math.min(steps, left);
    left -= gone;
    calls.push(gone);
    wanted.push(keep);
    return gone;
  };
  return { prune, calls, wanted, left: () => left };
}

const keepMs = 7 * 86_400_000;
const loaded = { config: { events: { keepMs, keepBytes: 256_000_000 } } };

test("old events go in small steps: one at the start, a bounded number every ten minutes while the process stays", async () => {
  const clock = fakeClock();
  const log = oldEvents(12_000);
  await using ending = closing();
  const deps = { store: { events: log } as never, clock, loaded, log: () => {} };
  pruneEvents({ ...deps, longLived: true }, ending);
  await clock.advance(0);
  assert.deepEqual(log.calls, [500]);
  assert.deepEqual(log.wanted, [{ since: clock.now() - keepMs, events: 1_600_000 }]);
  await clock.advance(599_999);
  assert.equal(log.calls.length, 1);
  await clock.advance(1);
  assert.deepEqual([log.calls.length, log.left()], [21, 1_500]);
  await clock.advance(600_000);
  assert.deepEqual(log.calls.slice(21), [500, 500, 500, 0]);
});

test("a process that does not stay takes one step, and a failure of it is logged", async () => {
  const clock = fakeClock();
  const lines: string[] = [];
  await using ending = closing();
  const events = { prune: () => Promise.reject(new Error("no disk")) };
  const deps = { store: { events } as never, clock, loaded, log: (line: string) => void lines.push(line) };
  pruneEvents({ ...deps, longLived: false }, ending);
  await clock.advance(0);
  assert.deepEqual(lines, ["old events were not removed: Error: no disk"]);
  assert.equal(clock.pending(), 0);
});
