import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { says, scriptedRuntime } from "../../../test/fakes/scripted-runtime.ts";
import { type TestHome, input, sessionOf, testHome, watch } from "../../../test/fakes/test-agent.ts";
import { leaseHeartbeatMs } from "../../store/store.ts";

/** An agent whose store refuses every write from when its first turn goes on until `free`, as a full disk does. */
async function withFullDisk(home: TestHome, begun = Promise.resolve()) {
  let isFull = false;
  let turns = 0;
  const log: string[] = [];
  const store = await home.store({
    onStatement: (sql) => {
      if (isFull && !/^\s*(?:select|begin|commit|rollback)/i.test(sql)) throw new Error("the disk is full");
    },
  });
  const runtime = scriptedRuntime(async function* (turn) {
    turns += 1;
    const text = `answer ${turns}`;
    await begun;
    isFull ||= turns === 1;
    yield* says(text, turn);
  });
  const agent = await home.open(runtime, { store, log: (line) => log.push(line) });
  return { agent, log, free: () => void (isFull = false) };
}

describe("agent: a turn whose end the store could not take", () => {
  test("is closed before the session's next turn in the same process begins", async () => {
    await using home = await testHome();
    const { agent, log, free } = await withFullDisk(home);
    const first = input("hello");
    const session = sessionOf(first);
    const ended = await (await agent.send(first)).ended;
    assert.match(ended?.fault?.message ?? "", /the disk is full/);
    await assert.rejects(agent.send(input("and now?", { session })), /the disk is full/);
    assert.match(
      log.join("\n"),
      /the end of turn trn_\w+ of ses_\w+ could not be kept yet: .*the disk is full/,
    );
    free();
    const { events } = watch(agent, session);
    const next = await (await agent.send(input("and now?", { session }))).ended;
    assert.equal(next?.outcome, "done", next?.fault?.message);
    const states = (await home.disk.sessions.turns(session)).map(({ state }) => state);
    assert.deepEqual(states, ["failed", "done"]);
    const notices = events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
    assert.match(notices.join("\n"), /^The last turn has failed: .*the disk is full/);
    assert.deepEqual(await home.disk.inbox.inState("kept"), [], "nothing was set aside for it");
    assert.match(log.join("\n"), /closed turn trn_\w+ of ses_\w+, which was left open/);
  });

  test("is closed before what waits behind it in line", async () => {
    await using home = await testHome();
    const gate = Promise.withResolvers<void>();
    const { agent, free } = await withFullDisk(home, gate.promise);
    const first = input("hello");
    const session = sessionOf(first);
    agent.subscribe(session, ({ type }) => (type === "ended" ? free() : undefined));
    const running = await agent.send(first);
    const queued = await agent.send(input("and now?", { session }));
    gate.resolve();
    assert.equal((await running.ended)?.outcome, "failed");
    assert.equal((await queued.ended)?.outcome, "done");
  });

  test("is closed as soon as it can be, when nothing comes", async () => {
    await using home = await testHome();
    const { agent, free } = await withFullDisk(home);
    const first = input("hello");
    const session = sessionOf(first);
    await (
      await agent.send(first)
    ).ended;
    const stateAfter = async (ms: number) => {
      await home.clock.advance(ms);
      await agent.drain();
      return (await home.disk.sessions.turns(session))[0]?.state;
    };
    assert.equal(await stateAfter(leaseHeartbeatMs), "open", "nothing can be written yet");
    free();
    assert.equal(await stateAfter(leaseHeartbeatMs), "failed");
    assert.equal(await home.disk.leases.holder(session), undefined, "and others may use the session");
  });
});
