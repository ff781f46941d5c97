import assert from "node:assert/strict";
import { test } from "node:test";
import { closedPort } from "../../../../test/closed-port.ts";
import { fakeClock } from "../../../../test/fakes/fake-clock.ts";
import { startSlack } from "../../../../test/fakes/slack/slack.ts";
import { Refusal } from "../../../core/host.ts";
import { systemClock } from "../../../lib/clock.ts";
import { slackAdapter } from "./adapter.ts";
import { newAdapter, slackWorld } from "./world.suite.ts";

const ignore = async (): Promise<void> => {};

async function refusalOf(starting: Promise<unknown>): Promise<Refusal> {
  const error = await starting.then(
    () => assert.fail("it started"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof Refusal, String(error));
  return error;
}

test("a token that Slack does not accept is refused at the start, with what to do about it", async (t) => {
  const slack = await startSlack();
  t.after(() => slack[Symbol.asyncDispose]());
  const wrong = [
    {
      more: { botToken: "xoxb-wrong" },
      code: "auth",
      says: /invalid_auth/,
      next: /chat:write.*users:read.*xoxb-/,
    },
    { more: { botToken: slack.appToken }, code: "auth", says: /xoxb-.*xapp-/, next: /xoxb-/ },
    {
      more: { appToken: "xapp-wrong" },
      code: "auth",
      says: /invalid_auth/,
      next: /connections:write.*xapp-/,
    },
    { more: { appToken: slack.botToken }, code: "auth", says: /xoxb-.*xapp-/, next: /xapp-/ },
  ];
  for (const { more, code, says, next } of wrong) {
    await using adapter = newAdapter(slack, fakeClock(), more);
    const refusal = await refusalOf(adapter.start(ignore, new Map()));
    assert.equal(refusal.code, code);
    assert.match(refusal.message, says);
    assert.match(refusal.next, next);
    assert.equal(adapter.health().state, "failed");
    for (const secret of ["wrong", slack.botToken, slack.appToken]) {
      assert.ok(!`${refusal.message}${refusal.next}`.includes(secret), "no token is told");
    }
  }
});

test("without a way in it does not start", async () => {
  await using adapter = slackAdapter({ botToken: "xoxb-1", clock: systemClock, log: () => {} });
  const refusal = await refusalOf(adapter.start(ignore, new Map()));
  assert.match(refusal.next, /app_token_env.*signing_secret_env/);
});

test("an address where nobody listens is refused after some tries", async () => {
  const clock = fakeClock();
  const api = `http://127.0.0.1:${await closedPort()}/api/`;
  await using adapter = slackAdapter({ botToken: "xoxb-1", appToken: "xapp-1", api, clock, log: () => {} });
  const refused = refusalOf(adapter.start(ignore, new Map()));
  for (let second = 0; second < 20; second += 1) {
    await clock.advance(1000);
    await fetch(api).catch(() => {}); // as long as it takes to find out
  }
  const refusal = await refused;
  assert.deepEqual([refusal.code, /ECONNREFUSED/.test(refusal.message)], ["network", true]);
});

test("an app without the scope to write is refused; one that lacks others starts, and says so", async (t) => {
  const slack = await startSlack();
  t.after(() => slack[Symbol.asyncDispose]());
  slack.world.scopes = ["im:history"];
  await using mute = newAdapter(slack, fakeClock());
  assert.match((await refusalOf(mute.start(ignore, new Map()))).message, /chat:write/);
  slack.world.scopes = [
    "chat:write",
    "im:history",
    "channels:history",
    "groups:history",
    "app_mentions:read",
    "users:read",
  ];
  await using poor = newAdapter(slack, fakeClock());
  assert.deepEqual(await poor.start(ignore, new Map()), { account: "T0FAKE-U0BOT", name: "talaria" });
  assert.deepEqual(
    [poor.health().state, poor.health().detail],
    ["connected", "The Slack app lacks the scopes files:read, files:write."],
  );
});

test("no token and no word of a person is in the log", async (t) => {
  const world = await slackWorld(t);
  const { slack } = world;
  slack.faults.next("*", { kind: "status", status: 500 });
  slack.say("D1", "U1", "my secret words");
  slack.sockets.sendRaw('{"type":"events_api","payload":{"secret words":1}}');
  slack.say("D1", "U1", "more secret words");
  await world.stored(2);
  slack.sockets.cut();
  await world.clock.advance(5000);
  const log = world.logged.join("\n");
  assert.notEqual(log, "");
  for (const secret of ["secret words", slack.botToken, slack.appToken])
    assert.ok(!log.includes(secret), log);
});
