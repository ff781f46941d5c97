import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { PeerClosedError } from "../../lib/rpc/rpc-peer.ts";
import { watchSilence } from "./silence.ts";

test("a host that does not answer is told of once, and again only after it was there", async () => {
  const clock = fakeClock();
  const closed = Promise.withResolvers<PeerClosedError>();
  const answers: (() => void)[] = [];
  let told = 0;
  const request = (_method: string, _params: unknown, signal: AbortSignal): Promise<unknown> => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    answers.push(() => resolve({}));
    return promise;
  };
  const watched = watchSilence({ request, closed: closed.promise }, clock, () => (told += 1));
  await clock.advance(2000);
  answers.at(-1)?.();
  await clock.advance(4000);
  assert.equal(told, 0, "it answers, and is asked for the second time");
  assert.equal(answers.length, 2);
  await clock.advance(3000);
  await clock.advance(60_000);
  assert.equal(told, 1);
  answers.at(-1)?.();
  await clock.advance(2000);
  await clock.advance(3000);
  assert.equal(told, 2, "it was there, and is silent again");
  closed.resolve(new PeerClosedError("gone"));
  await watched;
});
