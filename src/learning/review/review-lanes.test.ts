import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { aborted } from "../../../test/fakes/scripted-runtime.ts";
import { newId } from "../../core/ids.ts";
import { reviewLanes } from "./review-lanes.ts";

const session = newId("ses", 1);

test(
  "stopping ends what runs and what waits behind it, and not what comes later",
  { timeout: 10_000 },
  async () => {
    const ended: string[] = [];
    await using lanes = reviewLanes<string>(fakeClock(0), () => {});
    const begun = Promise.withResolvers<void>();
    const work = (name: string) => async (signal: AbortSignal) => {
      begun.resolve();
      await aborted(signal);
      ended.push(name);
      return name;
    };
    const first = lanes.run(session, work("first"));
    await begun.promise;
    const second = lanes.run(session, work("second"));
    await lanes.stop(session);
    assert.deepEqual([await first, await second, ended], ["first", undefined, ["first"]]);
    const third = lanes.run(session, async ({ aborted: isStopped }) => `third ${isStopped}`);
    assert.equal(await third, "third false");
    assert.equal(lanes.sessions().size, 0);
  },
);

test(
  "what begins while the one before it is stopping is not stopped with it",
  { timeout: 10_000 },
  async () => {
    const [begun, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await using lanes = reviewLanes<string>(fakeClock(0), () => {});
    const first = lanes.run(session, async () => {
      begun.resolve();
      await release.promise;
      return "first";
    });
    await begun.promise;
    const stopping = lanes.stop(session);
    const second = lanes.run(session, async ({ aborted: isStopped }) => `second ${isStopped}`);
    release.resolve();
    await stopping;
    assert.deepEqual([await first, await second], ["first", "second false"]);
  },
);
