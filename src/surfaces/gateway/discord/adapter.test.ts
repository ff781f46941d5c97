import assert from "node:assert/strict";
import { test } from "node:test";
import { startDiscord } from "../../../../test/fakes/discord/discord.ts";
import { always, sending, startBot } from "./bot.suite.ts";

test("what somebody writes directly is taken, and answered where it was written", async () => {
  await using bot = await startBot();
  const { discord, adapter } = bot;
  const ann = discord.person("Ann");
  const chat = discord.direct(ann);
  const id = discord.say(chat, ann, "hello");
  await bot.heard(1);
  const [message] = bot.messages();
  assert.deepEqual(message, {
    kind: "message",
    address: bot.address(chat),
    messageId: id,
    order: id.padStart(20, "0"),
    at: bot.clock.now(),
    from: { id: ann.id, name: "Ann", isBot: false },
    room: "direct",
    text: "hello",
    isForBot: true,
    files: [],
  });
  const result = await adapter.send(bot.address(chat), sending("hi", { replyTo: id }), always);
  const [, answer] = discord.shown(chat);
  assert.deepEqual(result, { sent: answer?.id });
  assert.deepEqual({ text: answer?.text, replyTo: answer?.replyTo }, { text: "hi", replyTo: id });
});

test("a server of one's own is found by its host, and by the address of its API with and without the version", async () => {
  for (const [root, given] of [
    ["/api", ""],
    ["", ""],
    ["/api", "/api"],
    ["/api", "/api/"],
    ["/api", "/api/v10"],
    ["/proxy/api", "/proxy/api"],
  ] as const) {
    await using discord = await startDiscord({ root });
    await using bot = await startBot({ discord, api: `${discord.api}${given}` });
    assert.equal(bot.adapter.health().state, "connected", `${root} by ${given}`);
  }
});
