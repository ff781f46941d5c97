import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { adapterWorld, ann, networkDone, texts, withAnn } from "./adapter-world.suite.ts";

const webhook = { url: "https://talaria.example/telegram", secret: "s3cret_of-the-webhook" };

const unread = (): Promise<string> => assert.fail("the body was read");

describe("the webhook of Telegram", () => {
  test("is set with its secret and one connection, and what is posted is taken before it is answered", async (t) => {
    const world = await adapterWorld(t, { webhook });
    await world.start();
    await world.until(() => world.adapter.health().state === "connected");
    assert.deepEqual(world.telegram.webhook.info, {
      url: webhook.url,
      secret: webhook.secret,
      connections: 1,
    });
    world.telegram.say(withAnn, ann, "one");
    world.telegram.say(withAnn, ann, "two");
    const post = (secret: string, body: string): Promise<number> =>
      world.adapter.handleWebhook(secret, async () => body);
    assert.deepEqual(await world.telegram.webhook.deliver(post), [200, 200]);
    assert.deepEqual(texts(world.events), ["one", "two"]);
    assert.ok(!world.telegram.calls.some(({ method }) => method === "getUpdates"));
  });

  test("reads nothing of a post whose secret is wrong", async (t) => {
    const world = await adapterWorld(t, { webhook });
    await world.start();
    for (const secret of [undefined, "", "wrong", `${webhook.secret} `]) {
      assert.equal(await world.adapter.handleWebhook(secret, unread), 401);
    }
  });

  test("answers what was not taken so that it comes again, and what is no update so that it does not hang", async (t) => {
    const world = await adapterWorld(t, { webhook });
    const post = (body: string): Promise<number> =>
      world.adapter.handleWebhook(webhook.secret, async () => body);
    assert.equal(await post("{}"), 503, "nobody takes anything yet");
    await world.start();
    const { taking } = world;
    world.taking = () => Promise.reject(new Error("disk full"));
    const { update } = world.telegram.say(withAnn, ann, "one");
    assert.equal(await post(JSON.stringify(update)), 503);
    world.taking = taking;
    assert.equal(await post(JSON.stringify(update)), 200);
    assert.equal(await post("no JSON"), 400);
    assert.equal(await post("5"), 200, "counted as something else");
    assert.deepEqual(texts(world.events), ["one"]);
  });

  test("is set again when somebody has changed it, and said to be in trouble when Telegram cannot deliver", async (t) => {
    const world = await adapterWorld(t, { webhook });
    await world.start();
    await world.until(() => world.adapter.health().state === "connected");
    world.telegram.webhook.info.url = "https://elsewhere.example";
    await world.passUntil(() => world.telegram.webhook.info.url === webhook.url);
    assert.equal(world.adapter.health().restarts, 2, "once at the start");
    world.telegram.say(withAnn, ann, "one");
    const { info } = world.telegram.webhook;
    info.lastError = "Connection refused";
    info.lastErrorAt = Math.floor(world.clock.now() / 1000);
    await world.passUntil(() => world.adapter.health().state === "recovering");
    assert.match(world.adapter.health().detail ?? "", /Connection refused.*reachable from outside/);
    await world.telegram.webhook.deliver((secret, body) =>
      world.adapter.handleWebhook(secret, async () => body),
    );
    await world.passUntil(() => world.adapter.health().state === "connected");
  });

  test("is not there for a bot that polls", async (t) => {
    const world = await adapterWorld(t);
    await world.start();
    await networkDone();
    assert.equal(await world.adapter.handleWebhook("any", async () => "{}"), 404);
  });
});
