import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { aborted, scriptedRuntime } from "../../../test/fakes/scripted-runtime.ts";
import { type TestHome, input, sessionOf, testHome } from "../../../test/fakes/test-agent.ts";
import { makeBroker } from "../../approvals/broker.ts";
import { closing } from "../closing.ts";
import { storedEnding } from "./stored-ending.ts";

const endless = scriptedRuntime(async function* (_turn, { signal }) {
  yield { type: "status", state: "thinking" };
  await aborted(signal);
  yield { type: "ended", outcome: "interrupted", text: "", calls: 0 };
});

const log = (): void => {};

/** Longer than until the next look. */
const aWhileMs = 2000;

describe("whoever waits for a turn of another process", () => {
  test("waits while that lives, and closes it when that has died without a word", async () => {
    await using home = await testHome();
    await using it = await world(home);
    const waited = it.wait(it.first);
    await home.clock.advance(aWhileMs);
    assert.deepEqual(await it.states(), ["open"]);
    it.die();
    await home.clock.advance(aWhileMs);
    assert.deepEqual(await it.states(), ["interrupted"]);
    assert.equal((await waited)?.outcome, "interrupted");
  });

  test("hears that what was queued behind it is set aside", async () => {
    await using home = await testHome();
    await using it = await world(home);
    const waited = it.wait(it.queued);
    await home.clock.advance(aWhileMs);
    it.die();
    await home.clock.advance(aWhileMs);
    assert.equal((await home.disk.inbox.get(it.queued))?.state, "kept");
    assert.equal(await waited, null);
  });

  test("does so no longer when its own process ends", async () => {
    await using home = await testHome();
    await using it = await world(home);
    const waited = it.wait(it.first);
    await home.clock.advance(aWhileMs);
    await it.close();
    assert.equal(await waited, null);
    assert.deepEqual(await it.states(), ["open"]);
  });
});

/** One process has a turn that does not end, and an input behind it. Another one waits. */
async function world(home: TestHome) {
  const other = await home.open(endless, { pid: 1 });
  const first = input("hello");
  const session = sessionOf(first);
  const sent = [await other.send(first), await other.send(input("and then", { session }))] as const;
  let isDead = false;
  const isGone = ({ pid }: { readonly pid: number }): boolean => pid === 1 && isDead;
  const agent = await home.open(endless, { pid: 2, isGone });
  const { store, owner } = agent;
  const { clock } = home;
  const broker = makeBroker({
    store,
    owner,
    isGone,
    clock,
    settings: { mode: "manual", securityMode: "auto", deny: [], guarded: [], home: "/home/me/.talaria" },
    timeoutMs: 1,
    isFollowed: () => false,
    folderId: async () => undefined,
    tieOf: async () => undefined,
    log,
  });
  const ending = closing();
  return {
    first: sent[0].inbox,
    queued: sent[1].inbox,
    wait: (inbox: (typeof sent)[0]["inbox"]) =>
      storedEnding({ agent, store, broker, clock, isGone, log, closing: ending }, inbox, undefined),
    die: () => void (isDead = true),
    close: () => ending[Symbol.asyncDispose](),
    states: async () => (await home.disk.sessions.turns(session)).map(({ state }) => state),
    [Symbol.asyncDispose]: () => ending[Symbol.asyncDispose](),
  };
}
