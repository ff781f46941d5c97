import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fakeClock } from "../../../../test/fakes/fake-clock.ts";
import type { ApiUser } from "../../../../test/fakes/discord/world.ts";
import type { Called, Calls } from "./calls.ts";
import { deferPress } from "./presses.ts";
import { always, inTime, sending, startBot, type BotOptions, type TestBot } from "./bot.suite.ts";

const callback = /\/callback$/;
const yes = { label: "Allow", data: "apr_1:yes" };

async function asked(
  options: BotOptions = {},
): Promise<TestBot & { readonly chat: string; readonly ann: ApiUser; readonly question: string }> {
  const bot = await startBot(options);
  const ann = bot.discord.person("Ann");
  const chat = bot.discord.direct(ann);
  const { part } = bot.adapter.renderQuestion("May I?", [[yes]]);
  const result = await bot.adapter.send(bot.address(chat), sending("", { part }), always);
  return { ...bot, ann, chat, question: (result as { readonly sent: string }).sent };
}

describe("a button that is pressed", () => {
  test("is answered at once, before anybody has decided what it means; the words come later, to this person alone", async () => {
    const decided = Promise.withResolvers<void>();
    await using bot = await asked({
      take: (event) => (event.kind === "press" ? decided.promise : Promise.resolve()),
    });
    const pressed = bot.discord.press(bot.chat, bot.question, "Allow", bot.ann);
    await pressed.deferred;
    assert.deepEqual(bot.presses(), []);
    decided.resolve();
    await bot.heard(1, "press");
    const [press] = bot.presses();
    assert.deepEqual(
      { data: press?.data, messageId: press?.messageId, from: press?.from.id, room: press?.room },
      { data: yes.data, messageId: bot.question, from: bot.ann.id, room: "direct" },
    );
    await bot.adapter.acknowledge(press?.press ?? "", "It is *allowed*.", always);
    assert.deepEqual(pressed.whispers, [String.raw`It is \*allowed\*.`]);
    assert.equal(bot.discord.shown(bot.chat).length, 1);
  });

  test("in a channel of a server says so", async () => {
    await using bot = await startBot();
    const ann = bot.discord.person("Ann");
    const room = bot.discord.channel("general");
    const { part } = bot.adapter.renderQuestion("May I?", [[yes]]);
    const { sent } = (await bot.adapter.send(bot.address(room), sending("", { part }), always)) as {
      readonly sent: string;
    };
    bot.discord.press(room, sent, "Allow", ann);
    await bot.heard(1, "press");
    assert.equal(bot.presses()[0]?.room, "group");
  });

  test("is answered again and again until it is too late", async () => {
    const held = { problem: { kind: "held", ms: 500 } } as const;
    const broken = { problem: { kind: "unknown", why: "broken" } } as const;
    const heard = { problem: { kind: "refused", why: "heard", status: 400, code: 40060 } } as const;
    const gone = { problem: { kind: "refused", why: "gone", status: 404, code: 10062 } } as const;
    const scripts: readonly (readonly [readonly Called[], string | undefined])[] = [
      [[held, broken, { answer: {} }], undefined],
      [[broken, heard], undefined],
      [[broken, gone], "gone"],
      [Array.from({ length: 20 }, () => broken), "broken"],
      [[{ problem: { kind: "held", ms: 3_000 } }], "Discord held it back."],
    ];
    for (const [script, expected] of scripts) {
      const clock = fakeClock();
      const answers = script.values();
      const calls: Calls = async () => answers.next().value ?? assert.fail("one more call");
      const deferred = deferPress(calls, clock, { id: "1", application: "2", key: "k" }, always);
      assert.equal(await inTime(clock, deferred, 50), expected);
      assert.ok(clock.monotonic() <= 3_000);
    }
  });

  test("is handed over although it could not be answered, and that is said in the log", async () => {
    await using bot = await asked();
    bot.discord.faults.on(callback, { kind: "hang" });
    const called = bot.discord.called(callback);
    bot.discord.press(bot.chat, bot.question, "Allow", bot.ann);
    await called;
    await bot.heard(1, "press");
    while (bot.log.length === 0) await bot.clock.advance(500);
    assert.match(bot.log[0] ?? "", /could not be acknowledged/);
    await bot.adapter.acknowledge(bot.presses()[0]?.press ?? "", "too late", always);
  });

  test("after 15 minutes takes no more words, and the message can still be changed", async () => {
    await using bot = await asked();
    const pressed = bot.discord.press(bot.chat, bot.question, "Allow", bot.ann);
    await bot.heard(1, "press");
    await pressed.deferred;
    await bot.clock.advance(16 * 60_000);
    await bot.adapter.acknowledge(bot.presses()[0]?.press ?? "", "too late", always);
    assert.deepEqual(pressed.whispers, []);
    const edited = await bot.adapter.edit(
      bot.address(bot.chat),
      bot.question,
      sending("Allowed.").part,
      always,
    );
    assert.deepEqual(edited, { sent: bot.question });
    assert.deepEqual(bot.discord.shown(bot.chat)[0]?.buttons, []);
  });

  test("B2 row 12: and of which Discord tells twice, is handed over once", async () => {
    await using bot = await asked();
    bot.discord.press(bot.chat, bot.question, "Allow", bot.ann);
    await bot.heard(1, "press");
    const data = {
      id: bot.presses()[0]?.press.split("/")[0],
      application_id: bot.discord.bot.id,
      type: 3,
      token: "key",
      channel_id: bot.chat,
      user: bot.ann,
      data: { custom_id: yes.data, component_type: 2 },
      message: { id: bot.question },
    };
    bot.discord.gateway.dispatch("INTERACTION_CREATE", data);
    bot.discord.press(bot.chat, bot.question, "Allow", bot.ann);
    await bot.heard(2, "press");
    assert.equal(new Set(bot.presses().map(({ press }) => press)).size, 2);
  });

  test("is handed over again when it was not taken", async () => {
    let tries = 0;
    await using bot = await asked({
      take: async (event) => {
        if (event.kind === "press" && (tries += 1) < 4) throw new Error("busy");
      },
    });
    bot.discord.press(bot.chat, bot.question, "Allow", bot.ann);
    while (bot.presses().length === 0) await bot.clock.advance(500);
    assert.equal(tries, 4);
  });
});
