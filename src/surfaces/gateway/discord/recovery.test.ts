import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startDiscord } from "../../../../test/fakes/discord/discord.ts";
import { fakeClock } from "../../../../test/fakes/fake-clock.ts";
import { Refusal } from "../../../core/host.ts";
import { always, inTime, sending, startBot, type TestBot } from "./bot.suite.ts";

/** Moves time on until it is so; the real client works meanwhile. */
async function until(bot: TestBot, isSo: () => boolean, stepMs = 1_000): Promise<number> {
  const from = bot.clock.now();
  while (!isSo()) await bot.clock.advance(stepMs);
  return bot.clock.now() - from;
}

const isConnected = (bot: TestBot): boolean => bot.adapter.health().state === "connected";

const refusal = async (options: Parameters<typeof startBot>[0]): Promise<Refusal> => {
  const error = await startBot(options).then(
    () => assert.fail("it has started"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Refusal, String(error));
  return error;
};

describe("a connection that is lost", { concurrency: true }, () => {
  for (const code of [1005, 1006, 4000, 4009]) {
    test(`B2 row 6: with ${code}, and the session with it: what was said meanwhile is there, in order, before what is newer`, async () => {
      await using bot = await startBot();
      const { discord } = bot;
      const ann = discord.person("Ann");
      const chat = discord.direct(ann);
      discord.say(chat, ann, "before");
      await bot.heard(1);
      const back = discord.gateway.joined();
      discord.gateway.forget();
      discord.gateway.close(code);
      discord.say(chat, ann, "meanwhile 1");
      discord.say(chat, ann, "meanwhile 2");
      await back;
      discord.say(chat, ann, "after");
      await bot.heard(4);
      assert.deepEqual(bot.words(), ["before", "meanwhile 1", "meanwhile 2", "after"]);
      assert.equal(bot.adapter.health().restarts, 1);
    });
  }

  test("B2 row 6: and taken up again: each message is there once, in order, whatever of them Discord repeats", async () => {
    await using bot = await startBot();
    const { discord } = bot;
    const ann = discord.person("Ann");
    const chat = discord.direct(ann);
    discord.say(chat, ann, "before");
    await bot.heard(1);
    const back = discord.gateway.joined();
    discord.gateway.close(1006);
    discord.say(chat, ann, "meanwhile");
    discord.gateway.lose(1);
    discord.say(chat, ann, "never told of");
    await back;
    discord.say(chat, ann, "after");
    await bot.heard(4);
    assert.deepEqual(bot.words(), ["before", "meanwhile", "never told of", "after"]);
    assert.equal(discord.gateway.counts.identifies, 1);
  });

  test("B2 row 6: by an invalid session, while the socket is open", async () => {
    await using bot = await startBot();
    const { discord } = bot;
    const ann = discord.person("Ann");
    const chat = discord.direct(ann);
    discord.say(chat, ann, "before");
    await bot.heard(1);
    const back = discord.gateway.joined();
    discord.gateway.forget();
    discord.gateway.raw({ op: 9, d: false });
    discord.say(chat, ann, "meanwhile");
    await back;
    await bot.heard(2);
    assert.deepEqual(bot.words(), ["before", "meanwhile"]);
    assert.equal(discord.gateway.counts.identifies, 2);
  });

  test("when Discord asks for it: nothing is lost", async () => {
    await using bot = await startBot();
    const { discord } = bot;
    const ann = discord.person("Ann");
    const chat = discord.direct(ann);
    const back = discord.gateway.joined();
    discord.gateway.raw({ op: 7, d: null });
    discord.say(chat, ann, "meanwhile");
    await back;
    await bot.heard(1);
    assert.equal(discord.gateway.counts.identifies, 1);
  });

  test("B2 row 6: gone silent with sends that work: red within two minutes, replaced, and what was said is there", async () => {
    await using bot = await startBot();
    const { discord, adapter, clock } = bot;
    const ann = discord.person("Ann");
    const chat = discord.direct(ann);
    discord.say(chat, ann, "before");
    await bot.heard(1);
    const { receivedAt } = adapter.health();
    discord.gateway.zombie();
    discord.say(chat, ann, "into silence");
    for (let at = 0; at < 8; at += 1) {
      await clock.advance(10_000);
      assert.ok("sent" in (await adapter.send(bot.address(chat), sending(`still here ${at}`), always)));
    }
    assert.equal(adapter.health().receivedAt, receivedAt, "what is sent is no sign of life");
    const ms = await until(bot, () => !isConnected(bot));
    assert.ok(80_000 + ms <= 120_000, `${80_000 + ms}`);
    assert.equal(adapter.health().state, "recovering");
    await until(bot, () => isConnected(bot));
    await bot.heard(2);
    assert.deepEqual(bot.words(), ["before", "into silence"]);
    assert.ok((adapter.health().receivedAt ?? 0) > (receivedAt ?? 0));
  });

  test("B2 row 2: and servers that accept and say nothing, for ten minutes: it goes on trying, and comes back", async () => {
    await using bot = await startBot();
    const { discord, clock } = bot;
    const ann = discord.person("Ann");
    const chat = discord.direct(ann);
    discord.say(chat, ann, "before");
    await bot.heard(1);
    discord.gateway.behaviour = "mute";
    discord.gateway.zombie();
    discord.say(chat, ann, "into silence");
    for (let at = 0; at < 600; at += 1) await clock.advance(1_000);
    assert.equal(bot.adapter.health().state, "recovering");
    discord.gateway.behaviour = "usual";
    await until(bot, () => isConnected(bot));
    await bot.heard(2);
    assert.deepEqual(bot.words(), ["before", "into silence"]);
  });

  test("B2 row 6: found by the library itself, heartbeat by heartbeat, which are signs of life", async () => {
    const clock = fakeClock();
    await using discord = await startDiscord({ clock, heartbeatMs: 60 });
    await using bot = await startBot({ discord, clock });
    await clock.advance(10_000);
    await until(bot, () => bot.adapter.health().receivedAt === clock.now(), 0);
    const ann = discord.person("Ann");
    const chat = discord.direct(ann);
    const back = discord.gateway.joined();
    discord.gateway.zombie();
    discord.say(chat, ann, "into silence");
    await back;
    await bot.heard(1);
    assert.equal(discord.gateway.counts.resumes, 1);
  });

  test("B2 row 6: and a RESUME that nobody answers, over a socket that is alive: replaced", async () => {
    await using bot = await startBot();
    const { discord } = bot;
    const ann = discord.person("Ann");
    const chat = discord.direct(ann);
    discord.say(chat, ann, "before");
    await bot.heard(1);
    discord.gateway.behaviour = "resume unanswered";
    discord.gateway.close(1006);
    discord.say(chat, ann, "meanwhile");
    await until(bot, () => !isConnected(bot), 1);
    await until(bot, () => isConnected(bot));
    await bot.heard(2);
    assert.deepEqual(bot.words(), ["before", "meanwhile"]);
  });

  test("B2 row 6: a hung history does not hold up what is live for long", async () => {
    await using bot = await startBot();
    const { discord } = bot;
    const ann = discord.person("Ann");
    const chat = discord.direct(ann);
    discord.say(chat, ann, "before");
    await bot.heard(1);
    const mend = discord.faults.on(/^GET \/channels\/\d+\/messages$/, { kind: "hang" }, Infinity);
    const back = discord.gateway.joined();
    discord.gateway.forget();
    discord.gateway.close(1006);
    discord.say(chat, ann, "meanwhile");
    await back;
    discord.say(chat, ann, "after");
    const ms = await until(bot, () => bot.messages().length === 2);
    assert.ok(ms <= 60_000, `${ms}`);
    mend();
    await until(bot, () => bot.messages().length === 3);
    assert.deepEqual(bot.words(), ["before", "after", "meanwhile"]);
  });

  test("B2 row 7: 100 times, by RESUME and by other clients: each message once, one socket, one listener", async () => {
    await using bot = await startBot();
    const { discord } = bot;
    const ann = discord.person("Ann");
    const chats = [discord.direct(ann), discord.channel("general")];
    let said = 0;
    const say = (): void => {
      for (const chat of chats) discord.say(chat, ann, `words ${(said += 1)}`);
    };
    say();
    for (let times = 0; times < 100; times += 1) {
      const back = discord.gateway.joined();
      const isResume = times % 5 === 0;
      if (isResume) discord.gateway.close(1006);
      if (!isResume) discord.gateway.zombie();
      say();
      if (isResume) await back;
      if (!isResume) await until(bot, () => !isConnected(bot), 5_000);
      await until(bot, () => isConnected(bot), isResume ? 1 : 1_000);
      say();
      await bot.heard(said);
    }
    for (const [index, chat] of chats.entries()) {
      const words = bot.messages().filter(({ address }) => address.chat === chat);
      assert.deepEqual(
        words.map(({ text }) => text),
        Array.from({ length: said / 2 }, (_, at) => `words ${at * 2 + index + 1}`),
      );
    }
    assert.equal(discord.gateway.counts.open, 1);
    assert.equal(bot.adapter.health().restarts, 100);
  });
});

describe("an event that never comes", () => {
  test("B2 row 5: is missed by its number, and read from the channel", async () => {
    await using bot = await startBot();
    const { discord } = bot;
    const ann = discord.person("Ann");
    const chat = discord.direct(ann);
    discord.say(chat, ann, "one");
    await bot.heard(1);
    discord.gateway.lose(1);
    discord.say(chat, ann, "two");
    discord.say(chat, ann, "three");
    await bot.heard(3);
    assert.deepEqual(bot.words(), ["one", "two", "three"]);
  });

  test("B2 row 5: and leaves no gap is found within minutes", async () => {
    await using bot = await startBot();
    const { discord } = bot;
    const ann = discord.person("Ann");
    const chat = discord.direct(ann);
    discord.say(chat, ann, "one");
    await bot.heard(1);
    discord.gateway.lose(1, "silently");
    discord.say(chat, ann, "two");
    discord.say(chat, ann, "three");
    await bot.heard(2);
    assert.deepEqual(bot.words(), ["one", "three"]);
    const ms = await until(bot, () => bot.messages().length === 3, 10_000);
    assert.ok(ms <= 6 * 60_000, `${ms}`);
    assert.deepEqual(bot.words(), ["one", "three", "two"]);
  });

  test("is no fault of ours when it makes no sense", async () => {
    await using bot = await startBot();
    const { discord } = bot;
    const ann = discord.person("Ann");
    const chat = discord.direct(ann);
    for (const type of [
      "MESSAGE_CREATE",
      "INTERACTION_CREATE",
      "GUILD_CREATE",
      "CHANNEL_CREATE",
      "THREAD_CREATE",
    ]) {
      for (const data of [null, 5, {}, [], { id: {} }, { id: "1", channel_id: null, author: { id: 4 } }]) {
        discord.gateway.dispatch(type, data);
      }
    }
    discord.gateway.raw("text");
    discord.gateway.raw({ op: 99 });
    discord.say(chat, ann, "still there");
    await bot.heard(1);
  });
});

describe("what cannot be mended", () => {
  test("a wrong token is said at the start", async () => {
    assert.equal((await refusal({ token: "wrong" })).code, "auth");
  });

  for (const [code, kind, words] of [
    [4004, "auth", /Reset Token/],
    [4013, "config", /Message Content Intent/],
    [4014, "config", /Message Content Intent/],
    [4011, "config", /Remove it/],
    [4012, "protocol", /Update/],
  ] as const) {
    test(`the close code ${code} ends the start with what to do`, async () => {
      await using discord = await startDiscord();
      discord.gateway.behaviour = { close: code };
      const error = await refusal({ discord });
      assert.equal(error.code, kind);
      assert.match(error.next, words);
      assert.equal(discord.gateway.counts.identifies, 0);
      assert.equal(discord.gateway.counts.connections, 1);
    });
  }

  test("an intent that is switched off later is the end of it, and health says what to do", async () => {
    await using bot = await startBot();
    bot.discord.gateway.behaviour = { close: 4014 };
    bot.discord.gateway.close(4014);
    await until(bot, () => bot.adapter.health().state === "failed", 1);
    assert.match(bot.adapter.health().detail ?? "", /Message Content Intent/);
    await bot.clock.advance(600_000);
    assert.equal(bot.discord.gateway.counts.connections, 1);
  });

  test("a platform that cannot be reached is said at the start", async () => {
    await using discord = await startDiscord();
    for (const fault of [
      { kind: "drop" },
      { kind: "status", status: 503 },
      { kind: "held", seconds: 9 },
    ] as const) {
      discord.faults.on(/users\/@me/, fault);
      assert.ok(["network", "rate_limited"].includes((await refusal({ discord })).code));
      discord.faults.on(/gateway\/bot/, fault);
      assert.equal((await refusal({ discord })).code, "network");
    }
  });

  test("a gateway that says nothing at the start is not waited for longer than a minute", async () => {
    const clock = fakeClock();
    await using discord = await startDiscord({ clock });
    discord.gateway.behaviour = "mute";
    const refused = refusal({ discord, clock });
    const from = clock.now();
    assert.equal((await inTime(clock, refused, 1_000)).code, "network");
    assert.ok(clock.now() - from <= 70_000);
  });
});

describe("the end", { concurrency: true }, () => {
  test("leaves no socket, and is not waited for", async () => {
    await using discord = await startDiscord();
    const gone = discord.gateway.cameAndWent();
    const bot = await startBot({ discord });
    discord.gateway.zombie();
    await bot[Symbol.asyncDispose]();
    assert.equal(bot.adapter.health().state, "stopped");
    await gone;
    assert.equal(discord.gateway.counts.open, 0);
  });

  test("between two sockets is the end as well: no other comes", async () => {
    await using discord = await startDiscord();
    await using elsewhere = await startDiscord();
    await using other = await startBot({ discord: elsewhere });
    const bot = await startBot({ discord });
    discord.gateway.behaviour = "mute";
    discord.gateway.close(1006);
    await until(bot, () => !isConnected(bot), 1);
    await bot[Symbol.asyncDispose]();
    // It takes as long as the reconnecting of the one that has ended would have taken, and begins later.
    const back = elsewhere.gateway.joined();
    elsewhere.gateway.close(1006);
    await back;
    assert.equal(other.adapter.health().restarts, 1);
    assert.deepEqual([discord.gateway.counts.connections, discord.gateway.counts.open], [1, 0]);
  });

  test("of a start that a server leaves unanswered is the last that it hears", async () => {
    const clock = fakeClock();
    await using discord = await startDiscord({ clock });
    discord.gateway.behaviour = "mute";
    const gone = discord.gateway.cameAndWent();
    await inTime(clock, refusal({ discord, clock }), 1_000);
    await gone;
    assert.deepEqual([discord.gateway.counts.connections, discord.gateway.counts.open], [1, 0]);
  });
});
