import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { newId } from "../core/ids.ts";
import type { StoredGrant } from "../core/ledger.ts";
import { actionHash } from "./action-hash.ts";
import { ann, opened, fixture, question, settle, timeoutMs } from "./broker.suite.ts";

const floor = { kind: "command", command: "rm -rf /", fence: "none" } as const;

const grantFor = (hash: string): StoredGrant => ({
  id: newId("grn", 1),
  scope: "always",
  hash,
  summary: "",
  tool: "terminal",
  cwd: "/work",
  by: "ann",
  madeAt: 1,
});

describe("without a question", { timeout: 60_000 }, () => {
  test("what has no effect is allowed, and written down", async () => {
    await using home = await fixture();
    const turn = (await home.process(1)).turn();
    assert.deepEqual(await turn.ask(question({ effect: "none" }), turn.stop.signal), {
      choice: "once",
      why: "policy",
    });
    const [row] = await home.rows();
    assert.equal(row?.state, "allowed");
    assert.equal(row.why, "policy");
    assert.deepEqual(turn.said, []);
  });

  test("what nobody may do is refused with its reason, written down and said, even by a grant", async () => {
    await using home = await fixture();
    const process = await home.process(1);
    const turn = process.turn();
    const wipe = question({ action: floor, tool: "terminal" });
    await home.store.grants.add(grantFor(actionHash(wipe, "first")));
    const decision = await turn.ask(wipe, turn.stop.signal);
    assert.equal(decision.choice, "deny");
    assert.equal(decision.why, "policy");
    assert.ok((decision.reason ?? "").length > 0);
    assert.equal((await home.rows())[0]?.state, "refused");
    assert.deepEqual(
      turn.said.map((event) => event.type === "notice" && event.code),
      ["refused"],
    );
  });

  test("with nobody there it is declined at once as not asked", async () => {
    await using home = await fixture();
    const turn = (await home.process(1)).turn({ attended: "none" });
    const decision = await turn.ask(question(), turn.stop.signal);
    assert.equal(decision.choice, "deny");
    assert.equal(decision.why, "not_asked");
    assert.match(decision.reason ?? "", /not asked: no one was there to ask/);
    assert.equal((await home.rows())[0]?.why, "not_asked");
    assert.ok(turn.said.some((event) => event.type === "notice" && event.code === "not_asked"));
    assert.equal(await turn.inquire({ title: "?", fields: [] }, turn.stop.signal), undefined);
  });
});

describe("a question", { timeout: 60_000 }, () => {
  test("is in the store before anybody sees it, and said again with its decision", async () => {
    await using home = await fixture();
    const process = await home.process(1);
    const seen: Promise<unknown>[] = [];
    const turn = process.turn({
      say(event) {
        if (event.type === "approval") seen.push(home.store.approvals.get(event.approval.id));
      },
    });
    const decision = turn.ask(question({ reason: "a reason" }), turn.stop.signal);
    await settle(home.clock);
    const [row] = await home.rows();
    assert.ok(row !== undefined);
    assert.deepEqual(await seen[0], row);
    assert.equal(row.state, "pending");
    assert.equal(row.expiresAt, home.clock.now() + timeoutMs);
    assert.equal(row.question.reason, "a reason");
    await process.broker.answer(row.id, "once", ann);
    assert.deepEqual(await decision, { choice: "once", why: "person", by: "ann" });
    assert.equal(seen.length, 2);
    assert.equal(home.clock.pending(), 0, "no timer is left");
  });

  test("says once that the turn waits, however many are open", async () => {
    await using home = await fixture();
    const process = await home.process(1);
    const turn = process.turn();
    const first = turn.ask(question(), turn.stop.signal);
    const second = turn.ask(question({ args: 2 }), turn.stop.signal);
    await settle(home.clock);
    assert.deepEqual(
      turn.said.map((event) => event.type),
      ["approval", "status", "approval"],
    );
    const [one, two] = turn.asked();
    await process.broker.answer(two!.id, "deny", ann);
    assert.deepEqual(await second, { choice: "deny", why: "person", by: "ann" });
    await process.broker.answer(one!.id, "once", ann);
    assert.equal((await first).choice, "once");
  });

  test("that nobody answers in time is declined with a reason, and no time is lost afterwards", async () => {
    await using home = await fixture();
    const turn = (await home.process(1)).turn();
    const decision = turn.ask(question(), turn.stop.signal);
    await opened(home.clock, turn);
    await home.clock.advance(timeoutMs - 1);
    assert.equal((await home.rows())[0]?.state, "pending");
    await home.clock.advance(1);
    const { choice, why, reason } = await decision;
    assert.deepEqual([choice, why], ["deny", "timeout"]);
    assert.match(reason ?? "", /nobody answered/);
    assert.equal((await home.rows())[0]?.state, "expired");
    const last = turn.said.at(-1);
    assert.ok(last?.type === "approval" && last.approval.decision?.why === "timeout");
  });

  test("is withdrawn by Stop", async () => {
    await using home = await fixture();
    const turn = (await home.process(1)).turn();
    const decision = turn.ask(question(), turn.stop.signal);
    await settle(home.clock);
    turn.stop.abort();
    assert.equal((await decision).why, "withdrawn");
    assert.equal((await home.rows())[0]?.state, "withdrawn");
    assert.equal((await turn.ask(question(), turn.stop.signal)).why, "withdrawn");
    assert.equal((await home.rows()).length, 1, "nothing was asked after Stop");
  });

  test("shows that it was asked before", async () => {
    await using home = await fixture();
    const process = await home.process(1);
    const turn = process.turn();
    const first = turn.ask(question(), turn.stop.signal);
    await process.broker.answer(await opened(home.clock, turn), "deny", ann);
    await first;
    const second = turn.ask(question(), turn.stop.signal);
    await opened(home.clock, turn);
    assert.match(turn.asked().at(-1)?.shown.at(-1) ?? "", /^asked before: .* and ann said no$/);
    turn.stop.abort();
    await second;
  });

  test("about a change that nobody knows offers no rule", async () => {
    await using home = await fixture();
    const process = await home.process(1);
    const turn = process.turn();
    const unknown = question({ tool: "patch", action: { kind: "change", changes: undefined } });
    const decision = turn.ask(unknown, turn.stop.signal);
    const id = await opened(home.clock, turn);
    assert.deepEqual(turn.asked()[0]?.choices, ["once", "deny"]);
    assert.equal((await process.broker.answer(id, "session", ann)).outcome, "refused");
    turn.stop.abort();
    await decision;
  });
});

describe("a yes", { timeout: 60_000 }, () => {
  test("is not used when the folder is another one by then, and the ledger says so", async () => {
    await using home = await fixture();
    const process = await home.process(1);
    const turn = process.turn();
    const decision = turn.ask(question(), turn.stop.signal);
    const id = await opened(home.clock, turn);
    home.folders.set("/work", "second");
    assert.equal((await process.broker.answer(id, "once", ann)).outcome, "taken");
    const { choice, reason } = await decision;
    assert.equal(choice, "deny");
    assert.match(reason ?? "", /the folder is not the one/);
    const [asked, unused] = await home.rows();
    assert.equal(asked?.state, "once");
    assert.equal(unused?.state, "withdrawn");
    assert.match(unused.reason ?? "", new RegExp(`^allowed as ${id}, but not used`));
  });

  test("is never handed on once the turn was stopped, even if it was first", async () => {
    await using home = await fixture();
    const turn = (await home.process(1)).turn();
    const other = await home.process(2);
    const decision = turn.ask(question(), turn.stop.signal);
    const id = await opened(home.clock, turn);
    assert.equal((await other.broker.answer(id, "once", ann)).outcome, "taken");
    turn.stop.abort();
    assert.equal((await decision).why, "withdrawn");
    assert.deepEqual(
      (await home.rows()).map((row) => row.state),
      ["once", "withdrawn"],
    );
    const last = turn.said.at(-1);
    assert.ok(last?.type === "approval" && last.approval.decision?.why === "withdrawn");
  });
});

const failing = async (): Promise<never> => Promise.reject(new Error("disk full"));

describe("a store that fails", { timeout: 60_000 }, () => {
  test("is a no with its reason, before and while a question is open", async () => {
    await using home = await fixture();
    const broken = { add: false, get: false };
    const { store } = home;
    const process = await home.process(1, {
      store: {
        ...store,
        approvals: {
          ...store.approvals,
          add: (...row) => (broken.add ? failing() : store.approvals.add(...row)),
          get: (id) => (broken.get ? failing() : store.approvals.get(id)),
        },
      },
    });
    const turn = process.turn();
    broken.add = true;
    for (const effect of ["none", "external"] as const) {
      const decision = await turn.ask(question({ effect }), turn.stop.signal);
      assert.equal(decision.choice, "deny");
      assert.match(decision.reason ?? "", /disk full/);
    }
    assert.deepEqual(turn.asked(), []);
    broken.add = false;
    const decision = turn.ask(question(), turn.stop.signal);
    await opened(home.clock, turn);
    broken.get = true;
    await home.clock.advance(1000);
    assert.match((await decision).reason ?? "", /disk full/);
    assert.equal((await home.rows())[0]?.state, "withdrawn");
    assert.ok(turn.said.at(-1)?.type === "approval", "the panel is closed");
  });

  test("and a screen that fails decides nothing", async () => {
    await using home = await fixture();
    const process = await home.process(1);
    const turn = process.turn({
      say() {
        throw new Error("broken screen");
      },
    });
    const decision = turn.ask(question(), turn.stop.signal);
    await settle(home.clock);
    await process.broker.answer((await home.rows())[0]!.id, "once", ann);
    assert.equal((await decision).choice, "once");
    assert.match(process.log.join(), /broken screen/);
  });
});
