import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, describe, test } from "node:test";
import { type ChatApp, chatApp } from "../../../test/fakes/chat-app.ts";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { openTestStore } from "../../../test/sqlite-store.ts";
import { testFolder } from "../../../test/temp-folder.ts";
import type { Adapter } from "../../core/gateway/chat.ts";
import type { OutboxState } from "../../core/gateway/tables.ts";
import { type DeliveryParts, delivery, tellAllAmbiguous } from "./deliver.ts";

describe("delivery to a chat", () => {
  test("cuts an answer into parts and sends them in order, each with its receipt", async (t) => {
    const it = await world(t);
    await it.answer("a".repeat(400) + "b".repeat(400) + "c");
    await it.wake();
    await it.settled();
    assert.deepEqual(it.app.texts(), ["a".repeat(400), "b".repeat(400), "c"]);
    assert.deepEqual(await it.states(), ["sent", "sent", "sent"]);
    assert.deepEqual(
      it.app.shown().map(({ replyTo }) => replyTo),
      ["m1", undefined, undefined],
    );
  });

  test("holds the whole chat as long as the platform wants, and goes on with the refused part", async (t) => {
    const it = await world(t);
    let refusals = 0;
    it.app.goesWrong((call, _, part) =>
      call === "send" && part?.plain.startsWith("b") === true && (refusals += 1) === 1
        ? { heldMs: 30_000 }
        : undefined,
    );
    await it.answer("a".repeat(400) + "b".repeat(400) + "c");
    await it.answer("another");
    await it.wake();
    await it.is("refused");
    await it.clock.advance(29_000);
    assert.deepEqual(it.app.texts(), ["a".repeat(400)]);
    await it.clock.advance(2000);
    await it.settled();
    assert.deepEqual(it.app.texts(), ["a".repeat(400), "b".repeat(400), "c", "another"]);
  });

  test("does not hold other chats", async (t) => {
    const it = await world(t);
    it.app.goesWrong((_, to) => (to.chat === "c1" ? { heldMs: 3_600_000 } : undefined));
    await it.answer("held");
    await it.answer("free", "c2");
    await it.wake();
    await it.app.shows("c2", (all) => all.length === 1);
    assert.deepEqual(it.app.texts(), []);
  });

  test("B2 row 11: goes out by itself when the penalty is over, without a restart", async (t) => {
    const it = await world(t);
    let isHeld = true;
    it.app.goesWrong(() => (isHeld ? { heldMs: 600_000 } : undefined));
    await it.answer("late");
    await it.wake();
    await it.is("refused");
    isHeld = false;
    await it.clock.advance(600_001);
    await it.settled();
    assert.deepEqual(it.app.texts(), ["late"]);
  });

  test("tries again what surely did not arrive, later and later", async (t) => {
    const it = await world(t);
    let tries = 0;
    it.app.goesWrong(() => ((tries += 1) <= 5 ? { notSent: "connection refused" } : undefined));
    await it.answer("at last");
    await it.wake();
    for (const [failed, seconds] of [1, 2, 4, 8, 16].entries()) {
      const isBack = async (): Promise<boolean> => tries > failed && (await it.states()).includes("pending");
      while (!(await isBack())) await new Promise(setImmediate);
      assert.deepEqual(it.app.texts(), []);
      await it.clock.advance(seconds * 1000);
    }
    await it.settled();
    assert.deepEqual(it.app.texts(), ["at last"]);
    assert.deepEqual(await it.states(), ["sent"]);
  });

  test("never sends again by itself what may have arrived, and says so once", async (t) => {
    const it = await world(t);
    let losses = 1;
    it.app.goesWrong(() => ((losses -= 1) >= 0 ? "lost reply" : undefined));
    await it.answer("maybe");
    await it.answer("next");
    await it.wake();
    await it.settled();
    const texts = it.app.texts();
    assert.equal(texts.filter((text) => text === "maybe").length, 1);
    assert.ok(texts.includes("next"));
    assert.equal(texts.filter((text) => text.includes("/resend")).length, 1);
    await tellAllAmbiguous(it.parts);
    await it.wake();
    await it.settled();
    assert.equal(it.app.texts().filter((text) => text.includes("/resend")).length, 1);
  });

  test("says so again when nobody knows whether that was heard, and ends some time", async (t) => {
    for (const [unheard, shown] of [
      [1, 1],
      [100, 0],
    ] as const) {
      const it = await world(t);
      let left = unheard + 1;
      it.app.goesWrong(() => ((left -= 1) >= 0 ? { unknown: "no answer" } : undefined));
      await it.answer("maybe");
      await it.wake();
      await it.is("ambiguous");
      const isSettled = async () => (await it.states()).every((state) => /sent|ambiguous/.test(state));
      do await it.clock.advance(60_000);
      while ((await it.states()).length < 2 || !(await isSettled()));
      await it.settled();
      assert.equal(it.app.texts().filter((text) => text.includes("/resend")).length, shown);
      assert.deepEqual(await it.states(), shown === 1 ? ["sent", "ambiguous"] : ["ambiguous", "ambiguous"]);
    }
  });

  test("B2 row 14: asks the platform about what a crash has left half sent, where it can say", async (t) => {
    for (const [found, expected] of [
      [{ sent: "77" }, []],
      [{ absent: true }, ["half"]],
    ] as const) {
      const it = await world(t, { find: async () => found });
      await it.answer("half");
      const [row] = await it.store.outbox.due("telegram", it.app.account);
      await it.store.outbox.cut(row?.id ?? "", [{ body: "half", plain: "half" }]);
      await it.store.outbox.move(row?.id ?? "", ["pending"], "sending", { at: 1 }, it.parts.lease);
      await it.wake();
      while (!(await it.states()).includes("sent")) await it.clock.advance(1000);
      await it.settled();
      assert.deepEqual(it.app.texts(), expected);
      assert.deepEqual(await it.states(), ["sent"]);
    }
  });

  test("tells the owner once of what the platform will never take", async (t) => {
    const it = await world(t);
    it.app.goesWrong((_, __, part) =>
      part?.plain === "bad" ? { refused: "the bot was blocked" } : undefined,
    );
    await it.answer("bad");
    await it.answer("good");
    await it.wake();
    await it.settled();
    assert.deepEqual(it.app.texts(), ["good"]);
    assert.equal(it.alerts.length, 1);
    assert.match(it.alerts[0] ?? "", /the bot was blocked/);
  });

  test("keeps what waits for the morning, and nothing else", async (t) => {
    const it = await world(t);
    await it.answer("news", "c1", it.clock.now() + 3_600_000);
    await it.wake();
    await it.answer("an answer");
    await it.wake();
    await it.app.shows("c1", (all) => all.length === 1);
    assert.deepEqual(it.app.texts(), ["an answer"]);
    await it.clock.advance(3_600_001);
    await it.settled();
    assert.deepEqual(it.app.texts(), ["an answer", "news"]);
  });

  test("has one message of a chat under way at a time", async (t) => {
    const it = await world(t);
    let [now, most] = [0, 0];
    const slow: Partial<Adapter> = {
      send: async (...args) => {
        most = Math.max(most, (now += 1));
        await new Promise(setImmediate);
        now -= 1;
        return it.app.bot.makeAdapter().send(...args);
      },
    };
    Object.assign(it.parts.adapter, slow);
    for (let each = 0; each < 20; each += 1) await it.answer(`answer ${each}`);
    await it.wake();
    await it.settled();
    assert.equal(most, 1);
    assert.deepEqual(
      it.app.texts(),
      Array.from({ length: 20 }, (_, each) => `answer ${each}`),
    );
  });
});

async function world(t: TestContext, also: Partial<Adapter> = {}) {
  const folder = await testFolder(t);
  const clock = fakeClock();
  const store = await openTestStore(join(folder, "talaria.db"), { clock });
  t.after(() => store[Symbol.asyncDispose]());
  const app: ChatApp = chatApp();
  const alerts: string[] = [];
  const owner = { host: "h", pid: 1, startTime: "1" };
  const taken = await store.leases.acquireDuty("bot:x", owner, clock.now(), () => false);
  assert.ok("lease" in taken);
  const parts: DeliveryParts = {
    adapter: { ...app.bot.makeAdapter(), ...also },
    account: app.account,
    outbox: store.outbox,
    lease: { duty: "bot:x", epoch: taken.lease.epoch },
    alert: async (_, text) => void alerts.push(text),
    clock,
    log: () => {},
  };
  const sending = delivery(parts);
  t.after(() => sending.stop());
  const answer = (markdown: string, chat = "c1", until?: number) =>
    store.outbox.add(
      {
        surface: "telegram",
        account: app.account,
        chat,
        replyTo: "m1",
        body: { kind: "answer", markdown },
        ...(until === undefined ? {} : { until }),
      },
      clock.now(),
    );
  const states = async (): Promise<readonly OutboxState[]> => {
    const all = await Promise.all(
      (["pending", "sending", "sent", "refused", "ambiguous", "dead"] as const).map((state) =>
        store.outbox.inState(state),
      ),
    );
    return all.flat().map(({ state }) => state);
  };
  const wake = async (): Promise<void> => {
    sending.wake();
    await clock.advance(0);
  };
  const is = async (state: OutboxState): Promise<void> => {
    while (!(await states()).includes(state)) await new Promise(setImmediate);
  };
  return { app, store, clock, parts, alerts, answer, states, is, wake, settled: sending.settled };
}
