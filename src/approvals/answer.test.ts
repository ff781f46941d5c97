import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Choice } from "../core/asking.ts";
import type { Principal } from "../core/principal.ts";
import { asId } from "../core/ids.ts";
import { sessionGrantMs } from "./answer.ts";
import { ann, bob, opened, fixture, question, remote, settle, timeoutMs } from "./broker.suite.ts";

describe("an answer", { timeout: 60_000 }, () => {
  test("counts when it is the first; the second hears who decided", async () => {
    await using home = await fixture();
    const process = await home.process(1);
    const turn = process.turn();
    const decision = turn.ask(question(), turn.stop.signal);
    const id = await opened(home.clock, turn);
    const answers = await Promise.all([
      process.broker.answer(id, "deny", { ...remote, name: "bea" }),
      process.broker.answer(id, "once", ann),
    ]);
    assert.deepEqual(answers, [
      { outcome: "taken" },
      { outcome: "late", decision: { choice: "deny", why: "person", by: "bea" } },
    ]);
    assert.deepEqual(await decision, { choice: "deny", why: "person", by: "bea" });
  });

  test("to a question that was never put is unknown", async () => {
    await using home = await fixture();
    const { broker } = await home.process(1);
    assert.deepEqual(await broker.answer(asId("apr_none"), "once", ann), { outcome: "unknown" });
  });

  test("comes too late after Stop and after the time is over, whoever looks first", async () => {
    await using home = await fixture();
    const process = await home.process(1);
    const other = await home.process(2);
    const turn = process.turn();
    const stopped = turn.ask(question(), turn.stop.signal);
    const first = await opened(home.clock, turn);
    turn.stop.abort();
    const late = await process.broker.answer(first, "once", ann);
    assert.ok(late.outcome === "late" && late.decision?.why === "withdrawn");
    await stopped;

    const next = other.turn();
    const expired = next.ask(question(), next.stop.signal);
    const second = await opened(home.clock, next);
    const slow = await home.process(3, { clock: { ...home.clock, now: () => home.clock.now() + timeoutMs } });
    const tooLate = await slow.broker.answer(second, "once", ann);
    assert.ok(tooLate.outcome === "late" && tooLate.decision?.why === "timeout");
    await home.clock.advance(1000);
    assert.equal((await expired).why, "timeout");
  });

  const refusals: readonly [name: string, choice: Choice, by: Principal, why: RegExp][] = [
    ["a guest", "deny", { ...ann, role: "guest" }, /only the owner/],
    ["a program", "once", { ...ann, role: "program" }, /only the owner/],
    ["a member whose turn it is not", "deny", bob, /only the owner/],
    ["somebody who is not at the machine, for good", "always", remote, /at the machine itself/],
  ];
  for (const [name, choice, by, why] of refusals) {
    test(`by ${name} is refused and changes nothing`, async () => {
      await using home = await fixture();
      const process = await home.process(1);
      const turn = process.turn();
      const decision = turn.ask(question(), turn.stop.signal);
      const id = await opened(home.clock, turn);
      const before = await home.rows();
      const answered = await process.broker.answer(id, choice, by);
      assert.ok(answered.outcome === "refused");
      assert.match(answered.why, why);
      assert.deepEqual(await home.rows(), before);
      assert.deepEqual(await home.store.grants.list({}), []);
      assert.equal((await process.broker.answer(id, "once", ann)).outcome, "taken");
      assert.equal((await decision).choice, "once");
    });
  }

  test("that was not offered is refused", async () => {
    await using home = await fixture();
    const process = await home.process(1);
    const turn = process.turn();
    const decision = turn.ask(question({ effect: "destructive" }), turn.stop.signal);
    const id = await opened(home.clock, turn);
    assert.ok(!turn.asked()[0]?.choices.includes("always"));
    assert.equal((await process.broker.answer(id, "always", ann)).outcome, "refused");
    turn.stop.abort();
    await decision;
  });

  test("by a member counts as a no to what their own turn wants, and never as a yes", async () => {
    await using home = await fixture();
    const process = await home.process(1);
    const turn = process.turn({ surface: "telegram", from: bob, audience: "members" });
    const decisions = [1, 2].map((to) => turn.ask(question({ args: { to } }), turn.stop.signal));
    await opened(home.clock, turn);
    const [first, second] = turn.asked();
    assert.ok(first !== undefined && second !== undefined);
    assert.deepEqual(first.choices, ["once", "deny"]);
    const { broker } = process;
    for (const choice of ["once", "session", "always"] as const)
      assert.equal((await broker.answer(first.id, choice, bob)).outcome, "refused", choice);
    assert.equal((await broker.answer(first.id, "deny", { ...bob, id: "sue" })).outcome, "refused");
    assert.equal((await broker.answer(first.id, "once", remote)).outcome, "taken");
    assert.equal((await broker.answer(second.id, "deny", bob)).outcome, "taken");
    assert.deepEqual(
      (await Promise.all(decisions)).map(({ choice, by }) => [choice, by]),
      [
        ["once", "ann"],
        ["deny", "bob"],
      ],
    );
  });
});

describe("a yes that stays", { timeout: 60_000 }, () => {
  test("for the session answers the same action there for eight hours, and no other", async () => {
    await using home = await fixture();
    const process = await home.process(1);
    const turn = process.turn();
    const first = turn.ask(question(), turn.stop.signal);
    await process.broker.answer(await opened(home.clock, turn), "session", ann);
    assert.equal((await first).choice, "session");
    assert.deepEqual(await turn.ask(question(), turn.stop.signal), {
      choice: "session",
      why: "grant",
      by: "ann",
    });
    assert.equal((await home.rows()).at(-1)?.state, "allowed");

    const other = turn.ask(question({ args: { to: "eve" } }), turn.stop.signal);
    await process.broker.answer(await opened(home.clock, turn), "deny", ann);
    assert.equal((await other).choice, "deny");

    home.folders.set("/work", "second");
    const elsewhere = turn.ask(question(), turn.stop.signal);
    await process.broker.answer(await opened(home.clock, turn), "deny", ann);
    assert.equal((await elsewhere).choice, "deny");
    home.folders.set("/work", "first");

    await home.clock.advance(sessionGrantMs);
    const again = turn.ask(question(), turn.stop.signal);
    await process.broker.answer(await opened(home.clock, turn), "deny", ann);
    assert.equal((await again).choice, "deny");
  });

  test("for good answers until it is revoked, also where nobody is", async () => {
    await using home = await fixture();
    const process = await home.process(1);
    const turn = process.turn();
    const first = turn.ask(question(), turn.stop.signal);
    await process.broker.answer(await opened(home.clock, turn), "always", ann);
    assert.equal((await first).choice, "always");
    await home.clock.advance(10 * sessionGrantMs);
    const alone = process.turn({ attended: "none" });
    assert.equal((await alone.ask(question(), alone.stop.signal)).why, "grant");
    const [grant] = await home.store.grants.list({});
    assert.equal(grant?.expiresAt, undefined);
    await home.store.grants.revoke(grant!.id, home.clock.now());
    assert.equal((await alone.ask(question(), alone.stop.signal)).why, "not_asked");
  });
});

describe("another process of the home", { timeout: 60_000 }, () => {
  test("can answer, and is heard within a second", async () => {
    await using home = await fixture();
    const turn = (await home.process(1)).turn();
    const other = await home.process(2);
    const decision = turn.ask(question(), turn.stop.signal);
    const id = await opened(home.clock, turn);
    assert.deepEqual(await other.broker.answer(id, "once", ann), { outcome: "taken" });
    assert.equal((await other.broker.answer(id, "deny", ann)).outcome, "late");
    await home.clock.advance(1000);
    assert.equal((await decision).choice, "once");
  });

  test("that died has its questions closed, and the person is told once", async () => {
    await using home = await fixture();
    const turn = (await home.process(1)).turn();
    void turn.ask(question(), turn.stop.signal);
    void turn.inquire({ title: "?", fields: [] }, turn.stop.signal);
    const id = await opened(home.clock, turn);
    const next = await home.process(2);
    assert.equal(await next.broker.reconcile(), 0, "it is alive");
    home.gone.add(1);
    assert.equal(await next.broker.reconcile(), 2);
    assert.equal(await next.broker.reconcile(), 0);
    const row = await home.store.approvals.get(id);
    assert.equal(row?.state, "expired");
    assert.match(row.reason ?? "", /Talaria was ended/);
    assert.equal((await home.store.approvals.takeUnreported(row.session)).length, 1);
    assert.equal((await home.store.approvals.takeUnreported(row.session)).length, 0);
    turn.stop.abort();
    await settle(home.clock);
  });

  test("that died cannot be answered for", async () => {
    await using home = await fixture();
    const turn = (await home.process(1)).turn();
    const decision = turn.ask(question(), turn.stop.signal);
    const id = await opened(home.clock, turn);
    const other = await home.process(2);
    home.gone.add(1);
    assert.equal((await other.broker.answer(id, "once", ann)).outcome, "late");
    assert.equal((await home.rows())[0]?.state, "expired");
    await home.clock.advance(1000);
    assert.equal((await decision).choice, "deny");
  });
});
