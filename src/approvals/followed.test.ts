import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ApprovalState } from "../core/asking.ts";
import { type Turn, ann, opened, fixture, question, settle, timeoutMs } from "./broker.suite.ts";

const open = (turn: Turn): readonly ApprovalState[] => turn.asked();

describe("a question of a session that somebody follows", { timeout: 60_000 }, () => {
  test("waits without end, and its time begins when the last one leaves", async () => {
    await using home = await fixture();
    let followed = true;
    const process = await home.process(1, { isFollowed: () => followed });
    const turn = process.turn();
    const decision = turn.ask(question(), turn.stop.signal);
    const id = await opened(home.clock, turn);
    assert.equal(open(turn)[0]?.expiresAt, undefined, "nobody is shown a time that does not run");

    for (let at = 0; at < 20; at++) await home.clock.advance(timeoutMs / 2);
    assert.equal((await home.rows())[0]?.state, "pending");

    followed = false;
    await home.clock.advance(1000);
    const left = home.clock.now();
    const { expiresAt } = (await home.store.approvals.get(id))!;
    assert.ok(
      expiresAt > left + timeoutMs - 2000 && expiresAt <= left + timeoutMs,
      "the row says until when",
    );
    await home.clock.advance(timeoutMs - 2000);
    assert.equal((await home.rows())[0]?.state, "pending");
    await home.clock.advance(2000);
    assert.equal((await decision).why, "timeout");
  });

  test("can be answered after any time, also from another process", async () => {
    await using home = await fixture();
    const process = await home.process(1, { isFollowed: () => true });
    const other = await home.process(2);
    for (const broker of [process.broker, other.broker]) {
      const turn = process.turn();
      const decision = turn.ask(question(), turn.stop.signal);
      const id = await opened(home.clock, turn);
      for (let at = 0; at < 20; at++) await home.clock.advance(timeoutMs / 2);
      assert.equal((await broker.answer(id, "once", ann)).outcome, "taken");
      await home.clock.advance(1000);
      assert.equal((await decision).choice, "once");
    }
  });

  test("is not too late when the machine has slept since", async () => {
    await using home = await fixture();
    const process = await home.process(1, { isFollowed: () => true });
    const turn = process.turn();
    const decision = turn.ask(question(), turn.stop.signal);
    const id = await opened(home.clock, turn);
    await home.store.approvals.postpone(id, home.clock.now() - 1);
    assert.equal((await process.broker.answer(id, "once", ann)).outcome, "taken");
    assert.equal((await decision).choice, "once");
  });

  test("is put once more to somebody who came later, and has no end from then on", async () => {
    await using home = await fixture();
    let followed = false;
    const process = await home.process(1, { isFollowed: () => followed });
    const turn = process.turn();
    const decision = turn.ask(question(), turn.stop.signal);
    const id = await opened(home.clock, turn);
    assert.equal(open(turn)[0]?.expiresAt, home.clock.now() + timeoutMs);
    followed = true;
    await home.clock.advance(1000);
    assert.deepEqual(
      open(turn).map((each) => [each.id, each.expiresAt === undefined]),
      [
        [id, false],
        [id, true],
      ],
    );
    await home.clock.advance(timeoutMs * 3);
    assert.equal((await process.broker.answer(id, "deny", ann)).outcome, "taken");
    assert.equal((await decision).why, "person");
  });

  test("for information is no other", async () => {
    await using home = await fixture();
    let followed = true;
    const process = await home.process(1, { isFollowed: () => followed });
    const turn = process.turn();
    const form = { title: "Which one?", fields: [{ name: "it", label: "It" }] };
    const answers = turn.inquire(form, turn.stop.signal);
    await settle(home.clock);
    const asked = turn.said.find((event) => event.type === "inquiry")!.inquiry;
    assert.equal(asked.expiresAt, undefined);
    for (let at = 0; at < 20; at++) await home.clock.advance(timeoutMs / 2);
    assert.equal((await home.store.inquiries.get(asked.id))?.state, "pending");
    followed = false;
    await home.clock.advance(timeoutMs + 1000);
    assert.equal(await answers, undefined);
    assert.equal((await home.store.inquiries.get(asked.id))?.state, "expired");
  });
});
