import assert from "node:assert/strict";
import { test } from "node:test";
import { type ChatApp, chatApp } from "../../../test/fakes/chat-app.ts";
import { type FakeClock, fakeClock } from "../../../test/fakes/fake-clock.ts";
import type { GatewayBehind } from "../../core/gateway/gateway.ts";
import { showProgress } from "./progress.ts";

type Status = { status?: string | null };

function turnIn(app: ChatApp, clock: FakeClock, chat: Status) {
  const chats = { get: async () => chat, change: async (_: unknown, to: Status) => Object.assign(chat, to) };
  const gateway = { settings: { stream: false }, chats } as unknown as GatewayBehind;
  return showProgress(
    { adapter: app.bot.makeAdapter(), clock, gateway, log: () => {} },
    { surface: "telegram", account: app.account, chat: "c1", person: "", room: "direct" },
  );
}

for (const [call, ms] of [
  ["typing", 0],
  ["send", 20_000],
  ["remove", 20_000],
] as const)
  test(`the end of a turn does not wait for a platform that never answers (${call})`, async () => {
    const [app, clock] = [chatApp(), fakeClock()];
    app.goesWrong((asked) => (asked === call ? "hang" : undefined));
    const progress = turnIn(app, clock, {});
    await clock.advance(2000);
    let isOver = false;
    void progress[Symbol.asyncDispose]().then(() => (isOver = true));
    await clock.advance(ms);
    assert.ok(isOver);
    assert.equal(clock.pending(), 0);
  });

test("a line that could not be removed goes before the next one comes", async () => {
  const [app, clock, chat] = [chatApp(), fakeClock(), {}];
  app.goesWrong((call) => (call === "remove" ? { heldMs: 3000 } : undefined));
  const first = turnIn(app, clock, chat);
  await clock.advance(2000);
  await first[Symbol.asyncDispose]();
  assert.equal(app.texts().length, 1);
  app.goesWrong(() => undefined);
  const second = turnIn(app, clock, chat);
  await clock.advance(2000);
  assert.equal(app.texts().length, 1);
  await second[Symbol.asyncDispose]();
  assert.deepEqual(app.texts(), []);
});

for (const refusal of [{ refused: "the method is not there" }, { notSent: "not found" }])
  test(`a line that can never be removed does not look as if work went on (${Object.keys(refusal).join()})`, async () => {
    const [app, clock] = [chatApp(), fakeClock()];
    app.goesWrong((call) => (call === "remove" ? refusal : undefined));
    const turn = turnIn(app, clock, {});
    await clock.advance(2000);
    assert.match(app.texts()[0] ?? "", /⏳/);
    await turn[Symbol.asyncDispose]();
    assert.deepEqual(app.texts(), ["·"]);
  });
