import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { always, sending, startBot, type TestBot } from "./bot.suite.ts";

const posting = /^POST \/channels\/\d+\/messages$/;
const reading = /^GET \/channels\/\d+\/messages$/;

/** Sends what nobody hears the end of. */
async function lost(
  bot: TestBot,
  chat: string,
  kind: "drop" | "drop after",
  one = sending("the answer"),
): Promise<typeof one> {
  bot.discord.faults.on(posting, { kind });
  const result = await bot.adapter.send(bot.address(chat), one, always);
  assert.ok("unknown" in result, JSON.stringify(result));
  return one;
}

describe("B2 row 10: a message of which nobody heard the end", () => {
  test("is known by the gateway's own word, without asking", async () => {
    await using bot = await startBot();
    const chat = bot.discord.direct(bot.discord.person("Ann"));
    const heard = bot.heard(1, "other");
    const one = await lost(bot, chat, "drop after");
    await heard;
    const calls = bot.discord.calls.length;
    const [shown] = bot.discord.shown(chat);
    assert.deepEqual(await bot.adapter.find?.(bot.address(chat), one, always), { sent: shown?.id });
    assert.equal(bot.discord.calls.length, calls);
  });

  test("is found in the channel by another process, which never heard of it", async () => {
    await using bot = await startBot();
    const chat = bot.discord.direct(bot.discord.person("Ann"));
    const one = await lost(bot, chat, "drop after");
    await using next = await startBot({ discord: bot.discord, clock: bot.clock });
    const [shown] = bot.discord.shown(chat);
    const since = bot.clock.now();
    assert.deepEqual(await next.adapter.find?.(bot.address(chat), { ...one, since }, always), {
      sent: shown?.id,
    });
    assert.deepEqual(await next.adapter.find?.(bot.address(chat), one, always), { sent: shown?.id });
  });

  test("is absent when the channel has all since then, and it is not there", async () => {
    await using bot = await startBot();
    const ann = bot.discord.person("Ann");
    const chat = bot.discord.direct(ann);
    await bot.adapter.send(bot.address(chat), sending("another answer"), always);
    const one = await lost(bot, chat, "drop");
    bot.discord.say(chat, ann, "the answer");
    assert.deepEqual(await bot.adapter.find?.(bot.address(chat), one, always), { absent: true });
  });

  test("is not taken for one that said the same long before, or to another message", async () => {
    await using before = await startBot();
    const { discord, clock } = before;
    const ann = discord.person("Ann");
    const chat = discord.direct(ann);
    await before.adapter.send(before.address(chat), sending("the answer"), always);
    // The library allows 50 calls in a second of real time, and a bot that is there for these hours may make more.
    await before.adapter[Symbol.asyncDispose]();
    await clock.advance(3 * 3_600_000);
    await using bot = await startBot({ discord, clock });
    const question = bot.discord.say(chat, ann, "and now?");
    const old = await lost(bot, chat, "drop");
    assert.deepEqual(await bot.adapter.find?.(bot.address(chat), old, always), { absent: true });
    await bot.adapter.send(bot.address(chat), sending("the answer", { replyTo: question }), always);
    const other = await lost(bot, chat, "drop", sending("the answer", { replyTo: "1" }));
    assert.deepEqual(await bot.adapter.find?.(bot.address(chat), other, always), { absent: true });
  });

  test("nobody can say of, when too much was said since, or the channel cannot be read", async () => {
    await using bot = await startBot();
    const ann = bot.discord.person("Ann");
    const chat = bot.discord.direct(ann);
    const one = await lost(bot, chat, "drop");
    for (let times = 0; times < 101; times += 1)
      bot.discord.say(chat, ann, `words ${times}`, { quietly: true });
    assert.equal(await bot.adapter.find?.(bot.address(chat), one, always), undefined);
    bot.discord.faults.on(reading, { kind: "drop" });
    assert.equal(await bot.adapter.find?.(bot.address(chat), one, always), undefined);
    bot.discord.faults.on(reading, { kind: "held", seconds: 5 });
    assert.equal(await bot.adapter.find?.(bot.address(chat), one, always), undefined);
  });
});
