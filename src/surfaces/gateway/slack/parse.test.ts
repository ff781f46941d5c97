import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../../test/seeded.ts";
import { type ChatMessage, chatName } from "../../../core/gateway/chat.ts";
import { parse, parseMessage, pressPlace } from "./parse.ts";
import { plainText } from "./plain-text.ts";
import { before, isLater, orderOf } from "./timestamp.ts";

const self = { team: "T1", user: "U0", botId: "B0", account: "T1-U0", name: "talaria" };
const base = {
  type: "message",
  channel: "C1",
  channel_type: "channel",
  user: "U1",
  text: "hi",
  ts: "1767225600.000100",
};
const event = (change: object) =>
  parse({ type: "events_api", body: { event: { ...base, ...change } } }, self);
const message = (change: object): ChatMessage => {
  const parsed = event(change);
  assert.equal(parsed.kind, "message");
  return parsed as ChatMessage;
};

test("where a message is said: flat in direct chats, in its thread, and in a thread of its own when it names the bot in a channel", () => {
  const places: readonly (readonly [object, string, boolean, string?])[] = [
    [{ channel: "D1", channel_type: "im" }, "D1", true],
    [{ channel: "D1", channel_type: "im", text: "<@U0> hi" }, "D1", true],
    [{ channel: "D1", channel_type: "im", thread_ts: "1.000001" }, "D1/1.000001", true, "1.000001"],
    [{}, "C1", false],
    [{ thread_ts: "1.000001" }, "C1/1.000001", false, "1.000001"],
    [{ thread_ts: "1.000001", parent_user_id: "U0" }, "C1/1.000001", true, "1.000001"],
    [{ text: "<@U0> hi" }, `C1/${base.ts}`, true],
    [{ text: "<@U0> hi", type: "app_mention", channel_type: undefined }, `C1/${base.ts}`, true],
    [{ text: "hi <@U0|bot>", thread_ts: "1.000001" }, "C1/1.000001", true, "1.000001"],
    [{ text: "<@U0> hi", thread_ts: base.ts }, `C1/${base.ts}`, true],
    [{ channel: "G1", channel_type: "mpim" }, "G1", false],
    [{ text: "<@U00> hi" }, "C1", false],
  ];
  for (const [change, chat, isForBot, replyTo] of places) {
    const parsed = message(change);
    assert.deepEqual([chatName(parsed.address), parsed.isForBot, parsed.replyTo], [chat, isForBot, replyTo]);
    assert.equal(parsed.messageId, base.ts);
  }
});

test("what tells of something, was changed or is our own is no message", () => {
  const others = [
    "message_changed",
    "message_deleted",
    "bot_message",
    "channel_join",
    "channel_topic",
    "whatever_is_new",
  ];
  for (const subtype of others) assert.deepEqual(event({ subtype }), { kind: "other", what: subtype });
  for (const change of [{ user: "U0" }, { user: undefined, bot_id: "B0" }, { user: "U9", bot_id: "B0" }]) {
    assert.deepEqual(event(change), { kind: "other", what: "own message" });
  }
  for (const subtype of ["file_share", "thread_broadcast", "me_message"])
    assert.equal(event({ subtype }).kind, "message");
  assert.deepEqual(event({ type: "reaction_added" }), { kind: "other", what: "reaction_added" });
  assert.deepEqual(parse({ type: "slash_commands", body: {} }, self), {
    kind: "other",
    what: "slash_commands",
  });
});

test("a bot is known as one", () => {
  assert.deepEqual(message({ bot_id: "B7", bot_profile: { name: "Build" } }).from, {
    id: "U1",
    name: "Build",
    isBot: true,
  });
  assert.deepEqual(message({ user: undefined, bot_id: "B7", username: "hook" }).from, {
    id: "B7",
    name: "hook",
    isBot: true,
  });
  assert.equal(message({ user: "USLACKBOT" }).from.isBot, true);
  assert.deepEqual(message({}).from, { id: "U1", name: "U1", isBot: false });
});

test("what somebody has written is read as they saw it", () => {
  const texts: readonly (readonly [string, string])[] = [
    ["a &lt;b&gt; &amp;amp; c", "a <b> &amp; c"],
    ["<https://x.org/a?b=1&amp;c=2>", "https://x.org/a?b=1&c=2"],
    ["<https://x.org|x.org> <https://x.org|https://x.org>", "https://x.org https://x.org"],
    ["see <https://x.org|the page>", "see the page (https://x.org)"],
    ["<mailto:a@x.org|a@x.org>", "a@x.org"],
    ["<@U0> hi", "hi"],
    ["<@U0>: hi", "hi"],
    ["  <@U0|talaria>, hi <@U0>", "hi"],
    ["ask <@U0> about it", "ask about it"],
    ["<@U2> and <@U3|ann> and <@U4|@bob>", "@U2 and @ann and @bob"],
    ["<#C1|general> <#C2>", "#general #C2"],
    ["<!here> <!channel> <!subteam^S1|@team> <!date^1^{date}|today>", "@here @channel @team today"],
    ["<@U0> /stop", "/stop"],
    [" /stop ", "/stop"],
    ["```\na &lt; b\n```", "```\na < b\n```"],
  ];
  for (const [written, seen] of texts) assert.equal(plainText(written, "U0"), seen);
});

test("whatever Slack or somebody in its place says, nothing is thrown, and what comes out is plain JSON", () => {
  fc.assert(
    fc.property(fc.constantFrom("events_api", "interactive", "hello"), fc.jsonValue(), (type, body) => {
      for (const shape of [body, { event: body }, { type: "block_actions", actions: body, message: body }]) {
        const parsed = parse({ type, body: shape }, self);
        assert.deepEqual(JSON.parse(JSON.stringify(parsed)), parsed);
      }
    }),
  );
  const field = fc.oneof(fc.jsonValue(), fc.string(), fc.constant("1767225600.000100"));
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom(...Object.keys(base), "thread_ts", "files", "subtype", "bot_id"), field),
      (change) => {
        const parsed = event(change);
        assert.deepEqual(JSON.parse(JSON.stringify(parsed)), parsed);
      },
    ),
  );
});

test("order sorts messages as their times do, and is of one length", () => {
  const time = fc.tuple(fc.integer({ min: 1, max: 2 ** 31 }), fc.integer({ min: 0, max: 999_999 }));
  fc.assert(
    fc.property(time, time, (one, other) => {
      const [a, b] = [one, other].map(
        ([seconds, micros]) => `${seconds}.${String(micros).padStart(6, "0")}`,
      ) as [string, string];
      const isAfter = one[0] > other[0] || (one[0] === other[0] && one[1] > other[1]);
      assert.equal(orderOf(a) > orderOf(b), isAfter);
      assert.equal(isLater(a, b), isAfter);
      assert.equal(orderOf(a).length, orderOf(b).length);
      assert.ok(!isLater(before(a, 10), a));
    }),
  );
});

const press = (more: object) =>
  parse(
    {
      type: "interactive",
      body: {
        type: "block_actions",
        user: { id: "U1", username: "ann" },
        channel: { id: "C1" },
        message: { ts: "5.000001", ...more },
        actions: [{ value: "x" }],
      },
    },
    self,
  );

test("a press knows its thread, also when its own message has become one", () => {
  const flat = press({});
  const own = press({ thread_ts: "5.000001" });
  const inside = press({ thread_ts: "4.000001" });
  assert.ok(flat.kind === "press" && own.kind === "press" && inside.kind === "press");
  assert.deepEqual(
    [flat, own, inside].map(({ address }) => address.thread),
    [undefined, undefined, "4.000001"],
  );
  assert.deepEqual(pressPlace(inside.press), { channel: "C1", user: "U1", thread: "4.000001" });
  assert.equal(pressPlace("nonsense"), undefined);
});

test("out of a history a message is the same one that the event told of", () => {
  const fromEvent = message({ text: "<@U0> hi" });
  const {
    channel: _channel,
    channel_type: _type,
    ...old
  } = { ...base, text: "<@U0> hi", thread_ts: base.ts, reply_count: 2 };
  assert.deepEqual(parseMessage(old, "C1", self), fromEvent);
});
