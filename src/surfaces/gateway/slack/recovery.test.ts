import assert from "node:assert/strict";
import { test } from "node:test";
import type { Fault } from "../../../../test/fakes/slack/faults.ts";
import type { ChatMessage } from "../../../core/gateway/chat.ts";
import { type World, assertOnceAndWhole, never, slackWorld } from "./world.suite.ts";

/** Time passes in steps, and what is on its way over the wire comes in between, until it is so. */
async function passing({ clock, slack }: World, stepMs: number, isSo: () => boolean): Promise<void> {
  for (let step = 0; !isSo() && step < 500; step += 1) {
    await clock.advance(stepMs);
    for (let trip = 0; trip < 3 && !isSo(); trip += 1) await (await fetch(`${slack.api}api.test`)).text();
  }
  assert.ok(isSo(), "it never came to that");
}

test("B2.4: a socket that is open but silent is found by what comes in alone, though sends work, and is replaced", async (t) => {
  const world = await slackWorld(t);
  const { slack, adapter, clock, to } = world;
  slack.say("D1", "U1", "before");
  await world.stored(1);
  const deafSince = clock.now();
  slack.sockets.becomeZombies();
  const missed = slack.say("D1", "U1", "into the void");
  const [part] = adapter.render("still sending");
  const isReplaced = (): boolean => slack.sockets.counts.ever === 2;
  for (let step = 0; !isReplaced() && adapter.health().state === "connected"; step += 1) {
    assert.ok("sent" in (await adapter.send(to("D1"), { part: part!, nonce: `n${step}` }, never)));
    assert.equal(adapter.health().receivedAt, deafSince);
    await clock.advance(5000);
  }
  await slack.until(isReplaced);
  assert.ok(clock.now() - deafSince <= 120_000, "within two minutes");
  await world.stored(2);
  await world.until(() => adapter.health().state === "connected");
  assert.equal(world.messages()[1]?.messageId, missed);
  assert.equal(adapter.health().restarts, 1);
  await slack.until(() => slack.sockets.counts.connected === 1);
  slack.say("D1", "U1", "after");
  await world.stored(3);
  assert.deepEqual(world.texts(), ["before", "into the void", "after"]);
});

test("pings keep a quiet socket, and count as life; what we send does not", async (t) => {
  const world = await slackWorld(t);
  const { slack, adapter, clock } = world;
  for (let minute = 0; minute < 10; minute += 1) {
    await clock.advance(50_000);
    await slack.sockets.ping();
    assert.deepEqual([adapter.health().state, adapter.health().receivedAt], ["connected", clock.now()]);
  }
  assert.equal(slack.sockets.counts.ever, 1);
});

test("B2.2: a socket whose other side never agrees to close is left behind all the same", async (t) => {
  const world = await slackWorld(t);
  const { slack, adapter } = world;
  slack.sockets.becomeZombies();
  slack.sockets.greet(false);
  await passing(world, 4000, () => slack.sockets.counts.ever >= 4);
  assert.equal(adapter.health().state, "recovering");
  assert.match(adapter.health().detail ?? "", /within 20 s|before it said hello/);
  slack.sockets.greet(true);
  await passing(world, 4000, () => adapter.health().state === "connected");
  slack.say("D1", "U1", "hello");
  await world.stored(1);
});

test("B2.5: events that never come on a connection that works are found in the history, each once", async (t) => {
  const world = await slackWorld(t);
  const { slack, clock } = world;
  const said: string[] = [];
  slack.sockets.pause();
  for (let index = 0; index < 40; index += 1) said.push(slack.say("D1", "U1", `message ${index}`));
  slack.sockets.resume((kept) => kept.filter((_envelope, index) => index % 5 !== 3));
  await world.stored(32);
  for (let waited = 0; waited < 10 * 60_000; waited += 50_000) {
    await clock.advance(50_000);
    await slack.sockets.ping();
  }
  await world.stored(40);
  assert.equal(slack.sockets.counts.ever, 1, "by looking, and not because another socket was opened");
  await slack.settled();
  assertOnceAndWhole(world.messages(), said);
});

test("what was said while we were away is fetched by the last message that was seen, before what is said now", async (t) => {
  const first = await slackWorld(t);
  const { slack, adapter } = first;
  const rooms = ["D1", "D2", "C1"];
  const said = rooms.map((room) => slack.say(room, "U1", `${room} 0 <@U0BOT>`));
  const root = said[2]!;
  await first.stored(3);
  await adapter[Symbol.asyncDispose]();
  slack.sockets.lose(true);
  for (let index = 1; index <= 250; index += 1) said.push(slack.say("D1", "U1", `D1 ${index}`));
  said.push(slack.say("D2", "U1", "D2 1"), slack.say("C1", "U1", "C1 in its thread", { thread: root }));
  const begun = slack.say("C1", "U2", "<@U0BOT> C1 new");
  said.push(begun, slack.say("C1", "U2", "C1 under the new one", { thread: begun }));
  slack.sockets.lose(false);
  said.push(slack.say("D1", "U1", "D1 live"));
  await first.again();
  await first.stored(said.length);
  await slack.settled();
  assertOnceAndWhole(first.messages(), said);
  for (const room of rooms) assertInOrder(first.messages().filter(({ address }) => address.chat === room));
  const under = first.messages().find(({ text }) => text === "C1 under the new one");
  assert.deepEqual([under?.address.thread, under?.isForBot], [begun, true]);
});

function assertInOrder(messages: readonly ChatMessage[]): void {
  const orders = messages.map(({ order }) => order);
  assert.deepEqual(orders, orders.toSorted());
}

test("a history that Slack holds back is read later, and what is new waits for it only for a while", async (t) => {
  const world = await slackWorld(t);
  const { slack, clock } = world;
  slack.say("D1", "U1", "one");
  await world.stored(1);
  slack.sockets.lose(true);
  slack.say("D1", "U1", "two");
  slack.sockets.lose(false);
  slack.faults.next("conversations.history", { kind: "rateLimited", seconds: 30 });
  slack.sockets.cut();
  await passing(world, 1000, () => slack.calls.some(({ method }) => method === "conversations.history"));
  slack.say("D1", "U1", "three");
  await clock.advance(12_000);
  assert.deepEqual(world.texts(), ["one"]);
  await clock.advance(3000);
  await world.stored(2);
  assert.deepEqual(world.texts(), ["one", "three"], "it does not wait for ever");
  await clock.advance(20_000);
  await world.stored(3);
  assert.deepEqual(world.texts(), ["one", "three", "two"]);
});

test("a platform whose clock is days off is read by its own times", async (t) => {
  const world = await slackWorld(t, { fake: { now: () => Date.UTC(2019, 5, 1) } });
  const { slack, adapter } = world;
  const said = [slack.say("D1", "U1", "one")];
  await world.stored(1);
  await adapter[Symbol.asyncDispose]();
  slack.sockets.lose(true);
  said.push(slack.say("D1", "U1", "two"));
  slack.sockets.lose(false);
  await world.again();
  await world.stored(2);
  assertOnceAndWhole(world.messages(), said);
  assert.equal(world.messages()[1]?.at, Date.UTC(2019, 5, 1));
});

test("a history that may not be read is said in the log, and does not hold up what comes", async (t) => {
  const world = await slackWorld(t, {
    seen: new Map([
      ["C9", "1700000000.000001"],
      ["not a chat", "?"],
    ]),
  });
  world.slack.say("D1", "U1", "hello");
  await world.stored(1);
  await world.slack.settled();
  assert.ok(
    world.logged.some((line) => line.includes("what was missed cannot be read") && line.includes("C9")),
  );
});

test("B2.7: after each of 100 reconnections every message comes once", async (t) => {
  const world = await slackWorld(t);
  const { slack, adapter } = world;
  const said: string[] = [];
  for (let round = 0; round < 100; round += 1) {
    const before = slack.sockets.counts.ever;
    if (round % 3 === 0) slack.sockets.goodbye();
    if (round % 3 === 1) slack.sockets.cut();
    if (round % 3 === 2) slack.sockets.becomeZombies();
    said.push(slack.say("D1", "U1", `during ${round}`));
    await passing(
      world,
      20_000,
      () => slack.sockets.counts.ever > before && adapter.health().state === "connected",
    );
    said.push(slack.say("D1", "U1", `after ${round}`));
    await world.stored(said.length);
  }
  await slack.settled();
  assertOnceAndWhole(world.messages(), said);
  assert.equal(adapter.health().restarts, 100);
  assert.equal(
    world.handed.filter(({ kind }) => kind === "message").length,
    said.length,
    "and was handed over once",
  );
});

test("when Slack says goodbye the next socket is open before the old one goes, and what came over it is still acknowledged over it", async (t) => {
  const world = await slackWorld(t);
  const { slack } = world;
  const storing = Promise.withResolvers<void>();
  world.onTake(() => storing.promise);
  slack.say("D1", "U1", "hello");
  await world.until(() => world.handed.length === 1);
  slack.sockets.goodbye("warning");
  await slack.until(() => slack.sockets.counts.ever === 2);
  await passing(world, 0, () => world.adapter.health().restarts === 1);
  assert.equal(slack.sockets.counts.open, 2);
  storing.resolve();
  await slack.until(() => slack.sockets.counts.acked === 1);
  await slack.until(() => slack.sockets.counts.open === 1);
  assert.deepEqual(
    [world.handed.length, slack.sockets.counts.redelivered],
    [1, 0],
    "it was not brought again",
  );
});

test("an adapter that is closed before its next socket is greeted closes, and nothing is left that rejects", async (t) => {
  const world = await slackWorld(t);
  const { slack, adapter } = world;
  slack.sockets.greet(false);
  slack.sockets.cut();
  await passing(world, 1000, () => slack.sockets.counts.ever === 2);
  await adapter[Symbol.asyncDispose]();
  assert.equal(adapter.health().state, "stopped");
});

test("an adapter that is closed while Slack does not answer a call closes at once", async (t) => {
  const world = await slackWorld(t);
  const { slack, adapter } = world;
  slack.faults.next("apps.connections.open", { kind: "hang", done: false });
  slack.sockets.cut();
  await slack.until(() => slack.sockets.counts.open === 0);
  await passing(world, 1000, () => slack.openCalls() > 0);
  await adapter[Symbol.asyncDispose]();
});

test("frames that nobody understands end nothing", async (t) => {
  const world = await slackWorld(t);
  const { slack } = world;
  const frames = [
    "null",
    "[]",
    "{",
    '{"type":"events_api"}',
    '{"type":"events_api","payload":{}}',
    '{"type":"interactive"}',
    '"x"',
    "7",
  ];
  for (const frame of [...frames, '{"type":"events_api","payload":{"event":{"type":"close"}}}'])
    slack.sockets.sendRaw(frame);
  slack.say("D1", "U1", "hello");
  await world.stored(1);
  assert.deepEqual(world.texts(), ["hello"]);
});

test("1,000 doubled and shuffled events are each message once, and none is left unacknowledged", async (t) => {
  const world = await slackWorld(t);
  const { slack } = world;
  const said: string[] = [];
  slack.sockets.pause();
  for (let index = 0; index < 500; index += 1)
    said.push(slack.say(`D${index % 7}`, `U${index % 5}`, `message ${index}`));
  slack.sockets.resume((kept) =>
    shuffled([...kept, ...kept.map((one) => ({ ...one, envelope_id: `${one.envelope_id}-again` }))]),
  );
  await world.stored(500);
  await slack.settled();
  assertOnceAndWhole(world.messages(), said);
  assert.equal(world.handed.length, 500, "what is stored already is not handed over again");
});

function shuffled<T>(all: readonly T[]): readonly T[] {
  const random = numbers(7);
  return all
    .map((one) => ({ one, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ one }) => one);
}

/** The same in every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => Math.floor((state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 8);
}

const wrong: readonly Fault[] = [
  { kind: "rateLimited", seconds: 2 },
  { kind: "rateLimited" },
  { kind: "status", status: 502 },
  { kind: "error", error: "internal_error" },
  { kind: "dropped" },
  { kind: "acceptedThenDropped" },
  { kind: "garbled" },
  { kind: "hang", done: false },
];

test("when a fifth of all calls go wrong and sockets break, every message is there, and once", async (t) => {
  const world = await slackWorld(t);
  const { slack } = world;
  const random = numbers(11);
  slack.faults.decide(() => (random() % 5 === 0 ? wrong[random() % wrong.length] : undefined));
  const said: string[] = [];
  let root: string | undefined;
  for (let index = 0; index < 120; index += 1) {
    if (index % 10 === 0) root = slack.say("C1", "U1", `<@U0BOT> topic ${index}`);
    said.push(...(index % 10 === 0 ? [root!] : []));
    said.push(slack.say("C1", `U${index % 3}`, `reply ${index}`, { thread: root! }));
    slack.sockets.lose(index % 4 === 0);
    said.push(slack.say(`D${index % 5}`, "U1", `direct ${index}`));
    slack.sockets.lose(false);
    if (index % 20 === 19) slack.sockets.cut();
    await world.clock.advance(2000);
  }
  slack.faults.none();
  await passing(world, 5000, () => world.messages().length === said.length);
  assertOnceAndWhole(world.messages(), said);
  const replies = world.messages().filter(({ text }) => text.startsWith("reply"));
  assert.ok(replies.every(({ isForBot }) => isForBot));
});

test("B2.12: a mention that comes as a message and as a mention is one message", async (t) => {
  const world = await slackWorld(t);
  const { slack } = world;
  const ts = slack.say("C1", "U1", "<@U0BOT|talaria> hi");
  await slack.settled();
  assert.equal(slack.sockets.counts.acked, 2, "both events are acknowledged");
  assert.deepEqual(
    world.messages().map(({ messageId, address }) => [messageId, address.thread]),
    [[ts, ts]],
  );
});

test("when Socket Mode is switched off it says so, tries again now and then, and works when it is on again", async (t) => {
  const world = await slackWorld(t);
  const { slack, adapter, clock } = world;
  slack.faults.next("apps.connections.open", { kind: "error", error: "not_allowed" }, 3);
  slack.sockets.goodbye("link_disabled");
  await passing(world, 1000, () => adapter.health().state === "failed");
  assert.equal(slack.sockets.counts.open, 0);
  await clock.advance(60_000);
  assert.equal(adapter.health().state, "failed");
  await passing(world, 5000, () => adapter.health().state === "connected");
  slack.say("D1", "U1", "hello");
  await world.stored(1);
});

test("a refusal to open another socket for a while is obeyed", async (t) => {
  const world = await slackWorld(t);
  const { slack, adapter, clock } = world;
  slack.faults.next("apps.connections.open", { kind: "rateLimited", seconds: 40 });
  slack.sockets.cut();
  await passing(
    world,
    500,
    () => slack.calls.filter(({ method }) => method === "apps.connections.open").length === 2,
  );
  await passing(world, 0, () => adapter.health().detail?.includes("takes no more calls") === true);
  await clock.advance(39_000);
  assert.equal(slack.sockets.counts.ever, 1);
  await passing(world, 1000, () => adapter.health().state === "connected");
});
