import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { InquiryState } from "../core/asking.ts";
import type { Principal } from "../core/principal.ts";
import { type InquiryId, asId } from "../core/ids.ts";
import { type Turn, ann, bob, fixture, settle, timeoutMs } from "./broker.suite.ts";

const form = { title: "Which one?", fields: [{ name: "it", label: "It" }] };

const inquiries = (turn: Turn): readonly InquiryState[] =>
  turn.said.flatMap((event) => (event.type === "inquiry" ? [event.inquiry] : []));
const idOf = (turn: Turn): InquiryId => inquiries(turn).at(-1)!.id;

const failing = async (): Promise<never> => Promise.reject(new Error("disk full"));

describe("a question for information", { timeout: 60_000 }, () => {
  test("is kept, put, answered once and said again", async () => {
    await using home = await fixture();
    const process = await home.process(1);
    const turn = process.turn();
    const answers = turn.inquire(form, turn.stop.signal);
    await settle(home.clock);
    const id = idOf(turn);
    assert.equal((await home.store.inquiries.get(id))?.state, "pending");
    assert.equal((await process.broker.reply(id, { it: "a" }, ann)).outcome, "taken");
    assert.equal((await process.broker.reply(id, { it: "b" }, ann)).outcome, "late");
    assert.deepEqual(await answers, { it: "a" });
    assert.equal(inquiries(turn).at(-1)?.closed, "answered");
    assert.equal((await process.broker.reply(asId("inq_none"), {}, ann)).outcome, "unknown");
    assert.equal(home.clock.pending(), 0);
  });

  test("ends without an answer when it is declined, when time is over and when the turn is", async () => {
    await using home = await fixture();
    const process = await home.process(1);
    const other = await home.process(2);
    const turn = process.turn();
    const declined = turn.inquire(form, turn.stop.signal);
    await settle(home.clock);
    assert.equal((await other.broker.reply(idOf(turn), undefined, ann)).outcome, "taken");
    await home.clock.advance(1000);
    assert.equal(await declined, undefined);

    const forgotten = turn.inquire(form, turn.stop.signal);
    await home.clock.advance(timeoutMs);
    assert.equal(await forgotten, undefined);

    const stopped = turn.inquire(form, turn.stop.signal);
    await settle(home.clock);
    turn.stop.abort();
    assert.equal(await stopped, undefined);
    assert.equal((await process.broker.reply(idOf(turn), {}, ann)).outcome, "late");
    assert.deepEqual(
      inquiries(turn).flatMap(({ closed }) => closed ?? []),
      ["declined", "timeout", "withdrawn"],
    );
  });

  test("is not put where nobody sits to answer it", async () => {
    await using home = await fixture();
    const process = await home.process(1);
    for (const attended of ["none", "all"] as const) {
      const turn = process.turn({ attended });
      const answers = turn.inquire(form, turn.stop.signal);
      await home.clock.advance(timeoutMs);
      assert.equal(await answers, undefined);
      assert.deepEqual(inquiries(turn), [], attended);
    }
  });

  test("is answered only by those who may", async () => {
    await using home = await fixture();
    const process = await home.process(1);
    const turn = process.turn({ surface: "telegram", from: bob, audience: "members" });
    const answers = turn.inquire(form, turn.stop.signal);
    await settle(home.clock);
    const id = idOf(turn);
    const others: readonly Partial<Principal>[] = [{ id: "sue" }, { surface: "slack" }, { role: "program" }];
    for (const other of others)
      assert.equal((await process.broker.reply(id, {}, { ...bob, ...other })).outcome, "refused");
    assert.equal((await process.broker.reply(id, { it: "x" }, bob)).outcome, "taken");
    assert.deepEqual(await answers, { it: "x" });
  });

  test("of a process that is gone cannot be answered", async () => {
    await using home = await fixture();
    const turn = (await home.process(1)).turn();
    const answers = turn.inquire(form, turn.stop.signal);
    await settle(home.clock);
    const other = await home.process(2);
    home.gone.add(1);
    assert.equal((await other.broker.reply(idOf(turn), { it: "x" }, ann)).outcome, "late");
    await home.clock.advance(1000);
    assert.equal(await answers, undefined);
  });

  test("is as good as unanswered when the store fails", async () => {
    await using home = await fixture();
    const { store } = home;
    let broken: "add" | "get" | undefined = "add";
    const process = await home.process(1, {
      store: {
        ...store,
        inquiries: {
          ...store.inquiries,
          add: (...row) => (broken === "add" ? failing() : store.inquiries.add(...row)),
          get: (id) => (broken === "get" ? failing() : store.inquiries.get(id)),
        },
      },
    });
    const turn = process.turn();
    assert.equal(await turn.inquire(form, turn.stop.signal), undefined);
    broken = undefined;
    const answers = turn.inquire(form, turn.stop.signal);
    await settle(home.clock);
    broken = "get";
    await home.clock.advance(1000);
    assert.equal(await answers, undefined);
    assert.equal(inquiries(turn).at(-1)?.closed, "withdrawn");
  });
});
