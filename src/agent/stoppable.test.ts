import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeClock } from "../../test/fakes/fake-clock.ts";
import { stopGraceMs, stoppable } from "./stoppable.ts";

test("a stuck source is left behind even if the time ran out while nobody read from it", async () => {
  const clock = fakeClock();
  const stop = new AbortController();
  const never = Promise.withResolvers<never>();
  async function* source() {
    yield "first";
    yield await never.promise;
  }
  using reader = stoppable(source(), stop.signal, clock);
  assert.equal(await reader.next(), "first");
  stop.abort();
  await clock.advance(stopGraceMs);
  const next = reader.next();
  await clock.advance(stopGraceMs);
  const answer = await Promise.race([next, Promise.resolve().then(() => "waits for ever")]);
  assert.equal(answer, undefined);
});
