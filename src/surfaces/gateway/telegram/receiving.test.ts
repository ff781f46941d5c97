import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { group, type FakeTelegram } from "../../../../test/fakes/telegram/telegram.ts";
import { Refusal } from "../../../core/host.ts";
import {
  adapterWorld,
  ann,
  ben,
  networkDone,
  patient,
  sendingOf,
  texts,
  toAnn,
  withAnn,
} from "./adapter-world.suite.ts";
import { telegramAdapter } from "./adapter.ts";

const polls = ({ calls }: FakeTelegram): number =>
  calls.filter(({ method }) => method === "getUpdates").length;

const nothing = (): void => {};

describe("receiving from Telegram", () => {
  test("what people say is taken, in order, and then confirmed", async (t) => {
    const world = await adapterWorld(t);
    await world.start();
    for (const text of ["one", "two", "three"]) world.telegram.say(withAnn, ann, text);
    await world.telegram.settled();
    assert.deepEqual(texts(world.events), ["one", "two", "three"]);
    assert.equal(world.adapter.health().state, "connected");
    assert.equal(world.adapter.health().eventAt, world.clock.now());
  });

  test("why it is not there yet is told while it is still tried", async (t) => {
    const world = await adapterWorld(t);
    world.telegram.faults.next("getMe", { kind: "status", status: 502 });
    const starting = world.start();
    await world.until(() => world.adapter.health().detail !== undefined);
    const { state, detail } = world.adapter.health();
    assert.deepEqual([state, /cannot be reached.*tried again/.test(detail ?? "")], ["starting", true]);
    await world.pass(3_000);
    await starting;
    await world.until(() => world.adapter.health().state === "connected");
  });

  test("what is not taken is not confirmed, comes again after a pause, and nothing is passed over", async (t) => {
    const world = await adapterWorld(t);
    let fails = 3;
    world.taking = async (event) => {
      if (event.kind === "message" && event.text === "two" && fails-- > 0) throw new Error("disk full");
      world.events.push(event);
    };
    world.telegram.say(withAnn, ann, "one");
    world.telegram.say(withAnn, ann, "two");
    world.telegram.say(withAnn, ann, "three");
    await world.start();
    await world.until(() => fails === 2);
    await networkDone();
    assert.deepEqual(texts(world.events), ["one"]);
    assert.equal(world.telegram.unconfirmed().length, 3);
    assert.match(world.adapter.health().detail ?? "", /could not be stored/);
    const ms = await world.passUntil(() => texts(world.events).length === 3);
    assert.ok(ms >= 3_000, "each try waits longer");
    assert.deepEqual(texts(world.events), ["one", "two", "three"]);
    await world.telegram.settled();
    assert.equal(world.adapter.health().state, "connected");
  });

  test("a take that never ends is given up, and does not hang what comes after it", async (t) => {
    const world = await adapterWorld(t);
    let hangs = 1;
    world.taking = (event) =>
      hangs-- > 0 ? new Promise(() => {}) : Promise.resolve(void world.events.push(event));
    world.telegram.say(withAnn, ann, "one");
    await world.start();
    await world.passUntil(() => texts(world.events).length === 1);
    await world.telegram.settled();
  });

  test("an update that cannot be read is passed on as something else, and what follows comes", async (t) => {
    const world = await adapterWorld(t);
    await world.start();
    const poison = [
      { message: 5 },
      { message: { chat: [] } },
      { callback_query: null },
      { message: { message_id: "x" } },
    ];
    for (const fields of poison) world.telegram.push(fields);
    world.telegram.say(withAnn, ann, "after it");
    await world.telegram.settled();
    assert.deepEqual(
      world.events.map(({ kind }) => kind),
      ["other", "other", "other", "other", "message"],
    );
  });

  test("row 12: updates that come twice and in disorder are handed over by number, and repeated ones look the same", async (t) => {
    const world = await adapterWorld(t);
    world.telegram.faults.disorder((updates) => updates.toReversed());
    const said = Array.from({ length: 30 }, (_, at) => world.telegram.say(withAnn, ann, `m${at}`));
    await world.start();
    await world.telegram.settled();
    assert.deepEqual(
      texts(world.events),
      said.map((_, at) => `m${at}`),
    );
    const before = world.events.length;
    for (const { update } of said) world.telegram.again(update);
    await world.until(() => world.events.length === before + said.length);
    assert.deepEqual(world.events.slice(before), world.events.slice(0, before));
  });

  test("numbers that begin anew after a quiet week are not passed over", async (t) => {
    const world = await adapterWorld(t);
    await world.start();
    world.telegram.say(withAnn, ann, "before");
    await world.telegram.settled();
    await world.pass(65_000, 5_000);
    const { message } = world.telegram.say(withAnn, ann, "dummy").update;
    await world.telegram.settled();
    await world.pass(65_000, 5_000);
    world.telegram.push({
      update_id: 12,
      message: { ...(message as object), message_id: 999, text: "after" },
    });
    await world.until(() => texts(world.events).includes("after"));
  });

  test("row 1: a poll that hangs while sends work is seen well within two minutes, and heals", async (t) => {
    const world = await adapterWorld(t);
    await world.start();
    await world.telegram.until(() => world.telegram.isPolled());
    world.telegram.open(withAnn);
    world.telegram.faults.decide((method) =>
      method === "getUpdates" ? { kind: "hang", done: false } : undefined,
    );
    // The open poll ends by itself; the next one hangs.
    await world.pass(31_000);
    const lastReceived = world.adapter.health().receivedAt;
    world.telegram.say(withAnn, ann, "anybody there?");
    const red = await world.passUntil(() => world.adapter.health().state !== "connected");
    assert.ok(red < 60_000, `${red} ms`);
    assert.ok("sent" in (await world.adapter.send(toAnn, sendingOf(world.adapter, "hi"), patient())));
    assert.equal(world.adapter.health().receivedAt, lastReceived, "what is sent is no sign of life");
    world.telegram.faults.none();
    const healed = await world.passUntil(() => world.adapter.health().state === "connected");
    assert.ok(healed < 120_000, `${healed} ms`);
    assert.deepEqual(texts(world.events), ["anybody there?"]);
    assert.ok(world.adapter.health().restarts > 0);
  });

  test("row 2: every recovery that hangs is followed by another one, for as long as it takes", async (t) => {
    const world = await adapterWorld(t);
    await world.start();
    world.telegram.open(withAnn);
    world.telegram.faults.decide(() => ({ kind: "hang", done: false }));
    await world.pass(30 * 60_000, 10_000);
    assert.ok(polls(world.telegram) > 20, `${polls(world.telegram)} polls`);
    assert.ok(world.telegram.openCalls() <= 2, "those that hang are given up");
    assert.equal(world.adapter.health().state, "recovering");
    world.telegram.say(withAnn, ann, "hello");
    world.telegram.faults.none();
    await world.passUntil(() => texts(world.events).length === 1);
    await world.passUntil(() => world.adapter.health().state === "connected");
  });

  test("row 3: another poller for ten minutes is waited for, then named, and recovered from", async (t) => {
    const world = await adapterWorld(t);
    await world.start();
    await world.telegram.until(() => world.telegram.isPolled());
    world.telegram.faults.otherPoller(true);
    await world.passUntil(() => world.adapter.health().state === "recovering");
    assert.match(world.adapter.health().detail ?? "", /waited for/);
    const until = await world.passUntil(() => world.adapter.health().state === "failed");
    assert.ok(until > 120_000 && until < 300_000, `${until} ms`);
    assert.match(world.adapter.health().detail ?? "", /Another program polls .*BotFather/);
    await world.pass(10 * 60_000, 5_000);
    assert.equal(world.adapter.health().state, "failed");
    world.telegram.say(withAnn, ann, "still there?");
    world.telegram.faults.otherPoller(false);
    const back = await world.passUntil(() => world.adapter.health().state === "connected");
    assert.ok(back < 120_000, `${back} ms`);
    assert.deepEqual(texts(world.events), ["still there?"]);
  });

  test("row 3: two that take turns are found out although polls succeed in between", async (t) => {
    const world = await adapterWorld(t);
    await world.start();
    let turn = 0;
    world.telegram.faults.decide((method) =>
      method === "getUpdates" && (turn += 1) % 2 === 0
        ? { kind: "error", code: 409, description: "Conflict: terminated by other getUpdates request" }
        : undefined,
    );
    const until = await world.passUntil(() => world.adapter.health().state === "failed");
    assert.ok(until < 300_000, `${until} ms`);
    assert.ok((world.adapter.health().receivedAt ?? 0) > world.clock.now() - 60_000);
  });

  test("a webhook that somebody has set is taken away, so that polls work", async (t) => {
    const world = await adapterWorld(t);
    world.telegram.webhook.info.url = "https://elsewhere.example";
    world.telegram.say(withAnn, ann, "hello");
    await world.start();
    await world.passUntil(() => texts(world.events).length === 1);
    assert.equal(world.telegram.webhook.info.url, "");
  });

  test("a token that is revoked is said, with what to do, and tried again", async (t) => {
    const world = await adapterWorld(t);
    await world.start();
    world.telegram.faults.decide((method) =>
      method === "getUpdates" ? { kind: "error", code: 401, description: "Unauthorized" } : undefined,
    );
    await world.passUntil(() => world.adapter.health().state === "failed", 5_000);
    assert.match(world.adapter.health().detail ?? "", /does not accept the bot token.*BotFather/);
    world.telegram.faults.none();
    await world.passUntil(() => world.adapter.health().state === "connected", 5_000);
  });

  for (const fault of [
    { kind: "dropped" },
    { kind: "acceptedThenDropped" },
    { kind: "garbled" },
    { kind: "status", status: 502 },
    { kind: "rateLimited", seconds: 7 },
    { kind: "error", code: 500, description: "Internal Server Error" },
  ] as const) {
    test(`after a poll with the fault ${fault.kind} nothing is missing, and nothing is there twice`, async (t) => {
      const world = await adapterWorld(t);
      world.telegram.faults.next("getUpdates", fault, 3);
      world.telegram.say(withAnn, ann, "one");
      world.telegram.say(withAnn, ann, "two");
      await world.start();
      await world.passUntil(() => texts(world.events).length > 0);
      await world.telegram.settled();
      await world.pass(35_000, 5_000);
      assert.deepEqual(texts(world.events), ["one", "two"]);
      assert.equal(world.adapter.health().state, "connected");
    });
  }

  test("row 7: over a hundred connections that break, each message comes once", async (t) => {
    const world = await adapterWorld(t);
    await world.start();
    for (let round = 0; round < 100; round += 1) {
      const fault = (["dropped", "acceptedThenDropped", "garbled"] as const)[round % 3] ?? "dropped";
      world.telegram.faults.next("getUpdates", { kind: fault });
      world.telegram.say(round % 2 === 0 ? withAnn : group(-100, "Team"), ann, `/m${round}`);
      await world.passUntil(() => world.events.length === round + 1, 5_000);
    }
    assert.deepEqual(
      texts(world.events),
      Array.from({ length: 100 }, (_, round) => `/m${round}`),
    );
    assert.ok(world.adapter.health().restarts >= 90, `${world.adapter.health().restarts}`);
  });

  test("row 7: over a hundred starts and ends of the adapter, each message comes once", async (t) => {
    const { telegram, clock, until } = await adapterWorld(t);
    const got: string[] = [];
    for (let round = 0; round < 100; round += 1) {
      await using adapter = telegramAdapter({
        token: telegram.token,
        api: telegram.url,
        clock,
        log: nothing,
      });
      telegram.say(withAnn, ben, `m${round}`);
      await adapter.start(
        async (event) => void got.push(event.kind === "message" ? event.text : event.kind),
        new Map(),
      );
      await until(() => got.length > round);
    }
    assert.deepEqual(
      got,
      Array.from({ length: 100 }, (_, round) => `m${round}`),
    );
    assert.equal(telegram.openCalls(), 0);
  });

  test("a wrong token is refused at the start, and Telegram that is not reached after some tries", async (t) => {
    const { telegram, clock, passUntil } = await adapterWorld(t);
    await using wrong = telegramAdapter({ token: "1:wrong", api: telegram.url, clock, log: nothing });
    await assert.rejects(
      wrong.start(async () => {}, new Map()),
      (error) => {
        assert.ok(error instanceof Refusal && error.code === "auth" && /BotFather/.test(error.next));
        return true;
      },
    );
    telegram.faults.unreachable(true);
    await using alone = telegramAdapter({ token: telegram.token, api: telegram.url, clock, log: nothing });
    let refused: unknown;
    const starting = alone.start(async () => {}, new Map()).catch((error: unknown) => (refused = error));
    await passUntil(() => refused !== undefined);
    await starting;
    assert.ok(refused instanceof Refusal && refused.code === "network", String(refused));
    assert.ok(!refused.message.includes(telegram.token));
  });

  test("nothing that is logged has the token in it", async (t) => {
    const world = await adapterWorld(t);
    await world.start();
    world.telegram.faults.unreachable(true);
    await world.pass(120_000, 5_000);
    assert.ok(world.logged.length > 3);
    assert.ok(world.logged.every((line) => !line.includes(world.telegram.token)));
  });

  test("the end does not wait for a poll, nor for a take that hangs", async (t) => {
    const world = await adapterWorld(t);
    world.taking = () => new Promise(() => {});
    await world.start();
    world.telegram.say(withAnn, ann, "hello");
    await networkDone();
    await world.adapter[Symbol.asyncDispose]();
    assert.equal(world.adapter.health().state, "stopped");
    assert.equal(world.telegram.unconfirmed().length, 1);
  });
});
