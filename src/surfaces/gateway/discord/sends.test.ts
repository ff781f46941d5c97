import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { closedPort } from "../../../../test/closed-port.ts";
import { fakeClock } from "../../../../test/fakes/fake-clock.ts";
import type { SendResult } from "../../../core/gateway/chat.ts";
import { discordAdapter } from "./adapter.ts";
import { always, sending, startBot, type TestBot } from "./bot.suite.ts";

const posting = /^POST \/channels\/\d+\/messages$/;

async function directBot(): Promise<TestBot & { readonly chat: string }> {
  const bot = await startBot();
  return { ...bot, chat: bot.discord.direct(bot.discord.person("Ann")) };
}

describe("what became of a send", () => {
  test("B2 row 9: held back, with the time that Discord names, at every kind of call, and nothing is sent meanwhile", async () => {
    await using bot = await directBot();
    const { adapter, discord, chat } = bot;
    const to = bot.address(chat);
    discord.faults.on(posting, { kind: "held", seconds: 7.25 });
    assert.deepEqual(await adapter.send(to, sending("a"), always), { heldMs: 7_250 });
    discord.faults.on(posting, { kind: "held", seconds: 2.5, bare: true });
    assert.deepEqual(await adapter.send(to, sending("a"), always), { heldMs: 2_500 });
    const { sent } = (await adapter.send(to, sending("a"), always)) as { readonly sent: string };
    discord.faults.on(/^PATCH/, { kind: "held", seconds: 3, global: false });
    assert.deepEqual(await adapter.edit(to, sent, sending("b").part, always), { heldMs: 3_000 });
    discord.faults.on(/^DELETE/, { kind: "held", seconds: 2 });
    assert.deepEqual(await adapter.remove(to, sent, always), { heldMs: 2_000 });
    discord.faults.on(/typing$/, { kind: "held", seconds: 2 });
    await adapter.typing(to, always);
    assert.deepEqual(discord.answers(chat), ["a"]);
  });

  test("held back before it is sent, while Discord's count for the channel is used up", async () => {
    await using bot = await directBot();
    const { adapter, discord, chat } = bot;
    discord.faults.on(posting, { kind: "held", seconds: 10, bucket: true });
    assert.deepEqual(await adapter.send(bot.address(chat), sending("a"), always), { heldMs: 10_000 });
    const calls = discord.calls.length;
    const again = (await adapter.send(bot.address(chat), sending("a"), always)) as {
      readonly heldMs: number;
    };
    assert.ok(again.heldMs > 0 && again.heldMs <= 10_000, String(again.heldMs));
    assert.equal(discord.calls.length, calls);
    const other = discord.direct(discord.person("Bob"));
    assert.ok(
      "sent" in (await adapter.send(bot.address(other), sending("b"), always)),
      "another chat is free",
    );
  });

  test("held back for a minute when Discord's front server names no time", async () => {
    await using bot = await directBot();
    bot.discord.faults.on(posting, { kind: "html", status: 429 });
    assert.deepEqual(await bot.adapter.send(bot.address(bot.chat), sending("a"), always), { heldMs: 60_000 });
  });

  test("refused, with what can be done about it", async () => {
    await using bot = await directBot();
    const { adapter, discord, chat } = bot;
    const reasons: readonly (readonly [number, number, RegExp])[] = [
      [403, 50007, /allow direct messages/],
      [403, 50001, /View Channel/],
      [403, 50013, /Send Messages/],
      [404, 10003, /not there any more/],
      [400, 50035, /Discord refused it: bad form/],
    ];
    for (const [status, code, words] of reasons) {
      discord.faults.on(posting, { kind: "status", status, code, message: "bad form" });
      const result = await adapter.send(bot.address(chat), sending("a"), always);
      assert.match((result as { readonly refused: string }).refused, words);
    }
    assert.ok("refused" in (await adapter.send(bot.address("../../users"), sending("a"), always)));
    assert.deepEqual(discord.answers(chat), []);
  });

  test("refused for the token, and later calls carry it all the same", async () => {
    await using bot = await directBot();
    bot.discord.faults.on(posting, { kind: "status", status: 401 });
    const first = await bot.adapter.send(bot.address(bot.chat), sending("a"), always);
    assert.match((first as { readonly refused: string }).refused, /token/);
    assert.ok("sent" in (await bot.adapter.send(bot.address(bot.chat), sending("a"), always)));
  });

  test("surely not sent: nobody listens, the front server turned it away, or it was given up before", async () => {
    await using bot = await directBot();
    const alone = discordAdapter({
      token: "t",
      api: `http://127.0.0.1:${await closedPort()}`,
      clock: fakeClock(),
      log: () => {},
    });
    assert.ok("notSent" in (await alone.send(bot.address(bot.chat), sending("a"), always)));
    bot.discord.faults.on(posting, { kind: "html", status: 403 });
    assert.ok("notSent" in (await bot.adapter.send(bot.address(bot.chat), sending("a"), always)));
    const given = AbortSignal.abort(new Error("no longer"));
    assert.ok("notSent" in (await bot.adapter.send(bot.address(bot.chat), sending("a"), given)));
    assert.deepEqual(bot.discord.answers(bot.chat), []);
  });

  test("B2 row 10: unknown when the connection broke or the server failed, and never sent a second time by itself", async () => {
    await using bot = await directBot();
    const { adapter, discord, chat } = bot;
    const faults = [
      { kind: "drop" },
      { kind: "drop after" },
      { kind: "status", status: 500 },
      { kind: "status", status: 502 },
      { kind: "html", status: 503 },
    ] as const;
    for (const fault of faults) {
      const before = discord.calls.length;
      discord.faults.on(posting, fault);
      const result = await adapter.send(bot.address(chat), sending(`a ${JSON.stringify(fault)}`), always);
      assert.ok("unknown" in result, JSON.stringify([fault, result]));
      assert.equal(discord.calls.length, before + 1);
    }
    assert.equal(discord.answers(chat).length, 1);
  });

  test("B2 row 25: unknown when a call hangs before, behind or in its answer; the next one is not held up", async () => {
    await using bot = await directBot();
    const { adapter, discord, chat, clock } = bot;
    for (const kind of ["hang", "hang after", "half"] as const) {
      discord.faults.on(posting, { kind });
      const called = discord.called(posting);
      const result = adapter.send(bot.address(chat), sending(kind), always);
      await called;
      await clock.advance(29_000);
      const next = adapter.send(bot.address(chat), sending(`after ${kind}`), always);
      await clock.advance(1_000);
      assert.ok("unknown" in (await result), kind);
      assert.ok("sent" in (await next), kind);
    }
    assert.deepEqual(discord.answers(chat), [
      "after hang",
      "hang after",
      "after hang after",
      "half",
      "after half",
    ]);
  });

  test("B2 row 25: a hung call of any kind ends by its signal", async () => {
    await using bot = await directBot();
    const { adapter, discord, chat } = bot;
    const to = bot.address(chat);
    const { sent } = (await adapter.send(to, sending("a"), always)) as { readonly sent: string };
    const file = {
      handle: `${chat}/${sent}/1 ${discord.api}/attachments/1/2/x`,
      kind: "file",
      name: "x",
    } as const;
    const jobs: readonly ((signal: AbortSignal) => Promise<unknown>)[] = [
      (signal) => adapter.send(to, sending("b"), signal),
      (signal) => adapter.edit(to, sent, sending("b").part, signal),
      (signal) => adapter.remove(to, sent, signal),
      (signal) => adapter.typing(to, signal),
      (signal) => adapter.acknowledge(`1/2/key`, "words", signal),
      (signal) => adapter.find?.(to, sending("c"), signal) ?? Promise.resolve(),
      (signal) => adapter.fetchFile(file, 10, signal),
    ];
    for (const job of jobs) {
      discord.faults.on(() => true, { kind: "hang" });
      const stop = new AbortController();
      const called = discord.called(/./);
      const ended = job(stop.signal);
      await called;
      stop.abort(new Error("stop"));
      await ended;
    }
  });

  test("sent once, however often the same nonce is sent", async () => {
    await using bot = await directBot();
    const { adapter, discord, chat } = bot;
    discord.faults.on(posting, { kind: "drop after" });
    const one = sending("once");
    const results: SendResult[] = [];
    for (let times = 0; times < 5; times += 1)
      results.push(await adapter.send(bot.address(chat), one, always));
    assert.ok("unknown" in (results[0] ?? {}));
    assert.equal(new Set(results.slice(1).map((result) => JSON.stringify(result))).size, 1);
    assert.deepEqual(discord.answers(chat), ["once"]);
  });

  test("an answer to a message that is gone is sent as it is", async () => {
    await using bot = await directBot();
    const result = await bot.adapter.send(bot.address(bot.chat), sending("a", { replyTo: "123" }), always);
    assert.ok("sent" in result);
  });
});

describe("a message of ours", () => {
  test("is changed, loses its buttons, and is removed, also when somebody else has done so", async () => {
    await using bot = await directBot();
    const { adapter, discord, chat } = bot;
    const to = bot.address(chat);
    const { part } = adapter.renderQuestion("May I?", [
      [
        { label: "Yes", data: "y" },
        { label: "No", data: "n" },
      ],
    ]);
    const { sent } = (await adapter.send(to, sending("", { part }), always)) as { readonly sent: string };
    assert.deepEqual(discord.shown(chat)[0]?.buttons, [
      [
        { label: "Yes", data: "y" },
        { label: "No", data: "n" },
      ],
    ]);
    assert.deepEqual(await adapter.edit(to, sent, sending("Allowed.").part, always), { sent });
    const [shown] = discord.shown(chat);
    assert.deepEqual([shown?.text, shown?.buttons], ["Allowed.", []]);
    assert.deepEqual(await adapter.remove(to, sent, always), { sent });
    assert.deepEqual(await adapter.remove(to, sent, always), { sent });
    assert.match(JSON.stringify(await adapter.edit(to, sent, part, always)), /refused.*deleted/);
    assert.deepEqual(discord.trace.rung, []);
  });

  test("shows that somebody is at work, and that never fails", async () => {
    await using bot = await directBot();
    await bot.adapter.typing(bot.address(bot.chat), always);
    assert.deepEqual(bot.discord.trace.typing, [bot.chat]);
    bot.discord.faults.on(/typing$/, { kind: "drop" });
    await bot.adapter.typing(bot.address(bot.chat), always);
  });
});
