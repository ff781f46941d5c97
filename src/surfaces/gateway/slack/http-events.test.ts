import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import type { SlackReply, SlackRequest } from "./http-events.ts";
import { type World, slackWorld } from "./world.suite.ts";

const secret = "fake-signing-secret";
const overHttp = { deps: { appToken: undefined, signingSecret: secret } as object };

function signed(body: string, atSeconds: number, type = "application/json", key = secret): SlackRequest {
  const signature = createHmac("sha256", key).update(`v0:${atSeconds}:${body}`).digest("hex");
  const headers = {
    "content-type": type,
    "x-slack-request-timestamp": String(atSeconds),
    "x-slack-signature": `v0=${signature}`,
  };
  return { headers, body };
}

const secondsOf = ({ clock }: World): number => Math.floor(clock.now() / 1000);

const said = (ts: string): string =>
  JSON.stringify({
    type: "event_callback",
    event_id: "Ev1",
    event: { type: "message", channel: "D1", channel_type: "im", user: "U1", text: "hello", ts },
  });

test("events over HTTP: Slack's question who we are is answered, and an event only when it is stored", async (t) => {
  const world = await slackWorld(t, overHttp);
  const { adapter } = world;
  assert.equal(adapter.health().state, "connected");
  const asked = JSON.stringify({ type: "url_verification", challenge: "xyz" });
  assert.deepEqual(await adapter.receive(signed(asked, secondsOf(world))), { status: 200, body: "xyz" });
  world.onTake(() => {
    throw new Error("disk full");
  });
  const request = signed(said("1767225600.000001"), secondsOf(world));
  assert.equal((await adapter.receive(request)).status, 503);
  const storing = Promise.withResolvers<void>();
  world.onTake(() => storing.promise);
  const replies: SlackReply[] = [];
  const receiving = adapter.receive(request).then((reply) => replies.push(reply));
  await world.until(() => world.handed.length === 2);
  assert.deepEqual(replies, []);
  storing.resolve();
  await receiving;
  assert.deepEqual(replies, [{ status: 200, body: "" }]);
  assert.equal(adapter.health().receivedAt, world.clock.now());
});

test("an event that comes a thousand times is one message", async (t) => {
  const world = await slackWorld(t, overHttp);
  for (let retry = 0; retry < 1000; retry += 1) {
    const { headers, body } = signed(said("1767225600.000001"), secondsOf(world));
    const reply = await world.adapter.receive({
      headers: { ...headers, "x-slack-retry-num": String(retry) },
      body,
    });
    assert.equal(reply.status, 200);
  }
  assert.equal(world.messages().length, 1);
});

test("a press comes as a form, and is handed over", async (t) => {
  const world = await slackWorld(t, overHttp);
  const payload = {
    type: "block_actions",
    user: { id: "U1", name: "ann" },
    channel: { id: "D1" },
    message: { ts: "1767225600.000001" },
    actions: [{ value: "apr_1:y", action_ts: "1767225601.000001" }],
  };
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const request = signed(body, secondsOf(world), "application/x-www-form-urlencoded");
  assert.equal((await world.adapter.receive(request)).status, 200);
  assert.deepEqual(
    world.presses().map(({ data, from }) => [data, from.name]),
    [["apr_1:y", "ann"]],
  );
});

test("a slash command comes as a form, and is answered with what to write instead", async (t) => {
  const world = await slackWorld(t, overHttp);
  const body = new URLSearchParams({ command: "/talaria", text: "stop", user_id: "U1" }).toString();
  const request = signed(body, secondsOf(world), "application/x-www-form-urlencoded");
  const reply = await world.adapter.receive(request);
  assert.equal(reply.status, 200);
  assert.match(reply.body, /Send me `!stop` as a message instead/);
});

test("what is not signed by Slack, or was signed long ago, is not looked at", async (t) => {
  const world = await slackWorld(t, overHttp);
  const now = secondsOf(world);
  const body = said("1767225600.000001");
  const good = signed(body, now);
  const forged: readonly SlackRequest[] = [
    { headers: {}, body },
    { ...good, body: `${body} ` },
    { ...good, headers: { ...good.headers, "x-slack-signature": "v0=" } },
    {
      ...good,
      headers: { ...good.headers, "x-slack-signature": good.headers["x-slack-signature"]?.slice(0, -1) },
    },
    { ...good, headers: { ...good.headers, "x-slack-request-timestamp": String(now + 1) } },
    { ...good, headers: { ...good.headers, "x-slack-request-timestamp": `${now}.5` } },
    signed(body, now, "application/json", "another secret"),
    signed("{ not json", now, "application/json", ""),
  ];
  for (const request of forged) assert.equal((await world.adapter.receive(request)).status, 401);
  assert.equal(world.adapter.health().detail, undefined);
  assert.equal(world.adapter.health().receivedAt, undefined, "a forged request is no sign of life");
  for (const off of [-301, 301])
    assert.equal((await world.adapter.receive(signed(body, now + off))).status, 401);
  assert.match(world.adapter.health().detail ?? "", /301 s off the clock/);
  assert.deepEqual(world.handed, []);
  for (const off of [-299, 299])
    assert.equal((await world.adapter.receive(signed(body, now + off))).status, 200);
});

test("signed nonsense is acknowledged and counted", async (t) => {
  const world = await slackWorld(t, overHttp);
  for (const body of ["", "null", "[]", "{", '{"type":"event_callback"}', '{"type":"slash"}', "payload=x"]) {
    assert.equal((await world.adapter.receive(signed(body, secondsOf(world)))).status, 200, body);
  }
  assert.deepEqual([...new Set(world.handed.map(({ kind }) => kind))], ["other"]);
});

test("without a signing secret nobody is listened to", async (t) => {
  const { adapter } = await slackWorld(t);
  assert.equal(
    (await adapter.receive(signed(said("1767225600.000001"), 0, "application/json", ""))).status,
    404,
  );
});
