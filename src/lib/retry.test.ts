import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fakeClock } from "../../test/fakes/fake-clock.ts";
import { retry } from "./retry.ts";
import type { RetryOptions } from "./retry.ts";

describe("retry", () => {
  test("gives the first success and does not pause before it", async () => {
    const world = start({});
    assert.equal(await retry(async (attempt) => `try ${attempt}`, world.options), "try 1");
    assert.equal(world.clock.pending(), 0);
  });

  test("pauses twice as long after each failure, up to the limit, and not after the last try", async () => {
    const world = start({ tries: 6, baseMs: 100, maxMs: 500, random: () => 1 });
    const result = retry(world.fail, world.options);
    const rejected = assert.rejects(result, /try 6 failed/);
    await world.clock.advance(100 + 200 + 400 + 500 + 500);
    await rejected;
    assert.deepEqual(world.startedAt, [0, 100, 300, 700, 1_200, 1_700]);
    assert.equal(world.clock.pending(), 0);
  });

  test("takes a random part of the pause", async () => {
    const world = start({ tries: 2, baseMs: 100, random: () => 0.25 });
    const rejected = assert.rejects(retry(world.fail, world.options));
    await world.clock.advance(25);
    await rejected;
    assert.deepEqual(world.startedAt, [0, 25]);
  });

  test("waits as long as the error asks for, even beyond the limit", async () => {
    const world = start({ tries: 2, maxMs: 500, retryable: () => ({ afterMs: 3_000 }) });
    const rejected = assert.rejects(retry(world.fail, world.options));
    await world.clock.advance(3_000);
    await rejected;
    assert.deepEqual(world.startedAt, [0, 3_000]);
  });

  test("does not repeat what cannot be helped", async () => {
    const world = start({ retryable: (error) => !(error instanceof TypeError) });
    await assert.rejects(
      retry(async () => {
        throw new TypeError("wrong");
      }, world.options),
      /wrong/,
    );
  });

  test("an abort during a pause ends it with the reason", async () => {
    const stop = new AbortController();
    const world = start({ signal: stop.signal });
    const rejected = assert.rejects(retry(world.fail, world.options), /stopped/);
    await world.clock.advance(0);
    stop.abort(new Error("stopped"));
    await rejected;
    assert.deepEqual([world.startedAt.length, world.clock.pending()], [1, 0]);
  });

  test("an abort during a try lets no further try start", async () => {
    const stop = new AbortController();
    const world = start({ signal: stop.signal, random: () => 0 });
    const job = (attempt: number) => {
      stop.abort(new Error("stopped"));
      return world.fail(attempt);
    };
    await assert.rejects(retry(job, world.options), /stopped/);
    assert.equal(world.startedAt.length, 1);
  });

  test("an aborted signal starts nothing", async () => {
    const world = start({ signal: AbortSignal.abort(new Error("stopped")) });
    await assert.rejects(retry(world.fail, world.options), /stopped/);
    assert.deepEqual(world.startedAt, []);
  });
});

function start(overrides: Partial<RetryOptions>) {
  const clock = fakeClock(0);
  const startedAt: number[] = [];
  const options: RetryOptions = {
    tries: 3,
    baseMs: 100,
    maxMs: 10_000,
    clock,
    signal: new AbortController().signal,
    random: () => 0.5,
    retryable: () => true,
    ...overrides,
  };
  const fail = async (attempt: number): Promise<never> => {
    startedAt.push(clock.now());
    throw new Error(`try ${attempt} failed`);
  };
  return { clock, options, startedAt, fail };
}
