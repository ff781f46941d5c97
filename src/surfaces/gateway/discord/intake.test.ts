import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startDiscord } from "../../../../test/fakes/discord/discord.ts";
import { fakeClock } from "../../../../test/fakes/fake-clock.ts";
import * as fc from "../../../../test/seeded.ts";
import type { ChatEvent } from "../../../core/gateway/chat.ts";
import { startBot } from "./bot.suite.ts";

const reading = /^GET \/channels\/\d+\/messages$/;

describe("messages on their way in", () => {
  test("B2 row 12: an event that comes again is handed over once", async () => {
    await using bot = await startBot();
    const ann = bot.discord.person("Ann");
    const chat = bot.discord.direct(ann);
    const ids = ["a", "b", "c"].map((text) => bot.discord.say(chat, ann, text));
    bot.discord.deliver(chat, [...ids, ...ids, ...ids]);
    bot.discord.say(chat, ann, "end");
    await bot.heard(4);
    assert.deepEqual(bot.words(), ["a", "b", "c", "end"]);
  });

  test("B2 row 12: 1,000 events, doubled and shuffled over five chats, are each handed over once", async () => {
    await using bot = await startBot();
    const { discord } = bot;
    const ann = discord.person("Ann");
    const chats = [discord.direct(ann), ...["a", "b", "c", "d"].map((name) => discord.channel(name))];
    const said = Array.from({ length: 1_000 }, (_, at) => {
      const chat = chats[at % chats.length] ?? "";
      return { chat, id: discord.say(chat, ann, `words ${at}`, { quietly: true }) };
    });
    const [order = []] = fc.sample(fc.shuffledSubarray([...said, ...said], { minLength: 2_000 }), 1);
    for (const { chat, id } of order) discord.deliver(chat, [id]);
    await bot.heard(1_000);
    const taken = bot.messages().map(({ messageId }) => messageId);
    assert.deepEqual(taken.toSorted(), said.map(({ id }) => id).toSorted());
    // Whoever sorts by `order` has them as they were said.
    for (const chat of chats) {
      const sorted = bot
        .messages()
        .filter(({ address }) => address.chat === chat)
        .toSorted((a, b) => (a.order < b.order ? -1 : 1));
      assert.deepEqual(
        sorted.map(({ messageId }) => messageId),
        said.filter((one) => one.chat === chat).map(({ id }) => id),
      );
    }
  });

  test("what is not taken is handed over again until it is, and what came after it waits; other chats do not", async () => {
    let failures = 0;
    const refusing = async (event: ChatEvent): Promise<void> => {
      if (event.kind === "message" && event.text === "first" && (failures += 1) <= 4)
        throw new Error("disk full");
    };
    await using bot = await startBot({ take: refusing });
    const ann = bot.discord.person("Ann");
    const [one, two] = [bot.discord.direct(ann), bot.discord.channel("general")];
    bot.discord.say(one, ann, "first");
    bot.discord.say(one, ann, "second");
    bot.discord.say(two, ann, "elsewhere");
    await bot.heard(1);
    assert.deepEqual(bot.words(), ["elsewhere"]);
    await bot.clock.advance(60_000);
    await bot.heard(3);
    assert.deepEqual(bot.words(), ["elsewhere", "first", "second"]);
    assert.ok(bot.log.some((line) => line.includes("disk full")));
  });

  test("a press does not wait for messages that are not taken", async () => {
    await using bot = await startBot({
      take: async (event) => {
        if (event.kind === "message") throw new Error("not now");
      },
    });
    const ann = bot.discord.person("Ann");
    const chat = bot.discord.direct(ann);
    bot.discord.say(chat, ann, "words");
    const pressed = bot.discord.press(chat, bot.discord.say(chat, ann, "more"), "yes", ann);
    await bot.heard(1, "press");
    await pressed.deferred;
  });

  test("what was said while nobody was there is read at the start, in order, before anything newer", async () => {
    const clock = fakeClock();
    await using discord = await startDiscord({ clock });
    const ann = discord.person("Ann");
    const [direct, room] = [discord.direct(ann), discord.channel("general")];
    const thread = discord.thread(room, "plans");
    const seen = new Map([direct, room, thread].map((chat) => [chat, discord.say(chat, ann, "known")]));
    await clock.advance(60_000);
    for (let at = 0; at < 250; at += 1) discord.say(direct, ann, `missed ${at}`);
    discord.say(room, ann, "missed in the room");
    discord.say(thread, ann, `<@${discord.bot.id}> missed in the thread`);
    await using bot = await startBot({ discord, clock, seen });
    discord.say(direct, ann, "live");
    await bot.heard(253);
    const of = (chat: string) => bot.messages().filter(({ address }) => address.chat === chat);
    assert.deepEqual(
      of(direct).map(({ text }) => text),
      [...Array.from({ length: 250 }, (_, at) => `missed ${at}`), "live"],
    );
    assert.deepEqual(
      of(thread).map(({ text, room: kind, roomName, isForBot }) => ({ text, kind, roomName, isForBot })),
      [{ text: "missed in the thread", kind: "group", roomName: "Lab #plans", isForBot: true }],
    );
    assert.equal(of(direct)[0]?.room, "direct");
    assert.equal(of(room)[0]?.isForBot, false);
  });

  test("what the history cannot give just now is read later, and what is live does not wait for ever", async () => {
    const clock = fakeClock();
    await using discord = await startDiscord({ clock });
    const ann = discord.person("Ann");
    const chat = discord.direct(ann);
    const seen = new Map([[chat, discord.say(chat, ann, "known")]]);
    await clock.advance(60_000);
    discord.say(chat, ann, "missed");
    const mend = discord.faults.on(reading, { kind: "status", status: 503 }, Infinity);
    await using bot = await startBot({ discord, clock, seen });
    discord.say(chat, ann, "live");
    while (bot.messages().length === 0) await clock.advance(1_000);
    assert.deepEqual(bot.words(), ["live"]);
    mend();
    while (bot.messages().length < 2) await clock.advance(10_000);
    assert.deepEqual(bot.words(), ["live", "missed"]);
  });

  test("what Discord holds back of the history is waited for, by its word", async () => {
    const clock = fakeClock();
    await using discord = await startDiscord({ clock });
    const ann = discord.person("Ann");
    const chat = discord.direct(ann);
    const seen = new Map([[chat, discord.say(chat, ann, "known")]]);
    await clock.advance(60_000);
    discord.say(chat, ann, "missed");
    discord.faults.on(reading, { kind: "held", seconds: 20 });
    await using bot = await startBot({ discord, clock, seen });
    discord.say(chat, ann, "live");
    while (bot.messages().length < 2) await clock.advance(1_000);
    assert.deepEqual(bot.words(), ["missed", "live"]);
  });

  test("a chat that is closed to the bot is left, and the others are read", async () => {
    const clock = fakeClock();
    await using discord = await startDiscord({ clock });
    const ann = discord.person("Ann");
    const [gone, open] = [discord.channel("gone"), discord.channel("open")];
    const seen = new Map([gone, open].map((chat) => [chat, discord.say(chat, ann, "known")]));
    await clock.advance(60_000);
    discord.say(open, ann, "missed");
    discord.world.closed.set(gone, { status: 403, code: 50001, message: "Missing Access" });
    await using bot = await startBot({ discord, clock, seen });
    await bot.heard(1);
    assert.deepEqual(bot.words(), ["missed"]);
    discord.say(gone, ann, "live");
    await bot.heard(2);
  });

  test("edits, deletions and words of its own are counted only", async () => {
    await using bot = await startBot();
    const ann = bot.discord.person("Ann");
    const chat = bot.discord.direct(ann);
    const id = bot.discord.say(chat, ann, "one");
    bot.discord.edit(chat, id, "two");
    bot.discord.erase(chat, id);
    await bot.heard(2, "other");
    await bot.heard(1);
    assert.deepEqual(bot.words(), ["one"]);
  });
});
