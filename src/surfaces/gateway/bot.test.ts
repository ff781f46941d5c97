import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import type { Adapter, AdapterHealth, BotIdentity } from "../../core/gateway/chat.ts";
import { Refusal } from "../../core/host.ts";
import { type BotNeeds, openBot } from "./bot.ts";

test("a bot that is being opened is starting, with what keeps it, and failed only when somebody has to do something", async () => {
  const clock = fakeClock();
  let health: AdapterHealth = { state: "starting", restarts: 0 };
  let begun = Promise.withResolvers<PromiseWithResolvers<BotIdentity>>();
  const adapter = {
    start() {
      const start = Promise.withResolvers<BotIdentity>();
      begun.resolve(start);
      return start.promise;
    },
    health: () => health,
    async [Symbol.asyncDispose]() {},
  } as unknown as Adapter;
  const gateway = {
    takeBot: async () => ({ lost: new AbortController().signal, async [Symbol.asyncDispose]() {} }),
    received: { seen: async () => new Map() },
    chats: { list: async () => [] },
  };
  const needs = {
    surface: "telegram",
    token: "t",
    makeAdapter: () => adapter,
    clock,
    log: () => {},
    gateway,
  };
  const bot = openBot(needs as unknown as BotNeeds);
  const fails = async (refusal: Refusal): Promise<void> => {
    const start = await begun.promise;
    begun = Promise.withResolvers();
    start.reject(refusal);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const begins = async (): Promise<void> => {
    await clock.advance(60_000);
    await begun.promise;
  };
  await begun.promise;
  assert.deepEqual(bot.health(), { state: "starting", restarts: 0 });
  health = { ...health, detail: "No connection." };
  assert.equal(bot.health().detail, "No connection.", "the first try goes on");
  await fails(new Refusal("network", "It cannot be reached.", "Check the network."));
  assert.deepEqual(bot.health(), {
    state: "starting",
    restarts: 0,
    detail: "It cannot be reached. Check the network.",
  });
  health = { state: "starting", restarts: 0 };
  await begins();
  await fails(new Refusal("auth", "Its token is wrong.", "Set it."));
  assert.deepEqual(bot.health(), { state: "failed", restarts: 0, detail: "Its token is wrong. Set it." });
  await begins();
  assert.equal(bot.health().state, "failed", "as long as nothing else is known");
  const closed = bot[Symbol.asyncDispose]();
  await fails(new Refusal("stopping", "It is closed.", "Nothing."));
  await closed;
});
