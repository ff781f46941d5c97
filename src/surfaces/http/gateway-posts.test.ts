import assert from "node:assert/strict";
import { test } from "node:test";
import { httpWorld } from "./world.suite.ts";

test("what a chat app posts reaches its adapter with its headers, and nobody else is asked for a key", async (t) => {
  const { host, origin } = await httpWorld(t);
  const heard: string[] = [];
  host.gateway.report({
    bots: () => [],
    receive: (surface, posted) =>
      surface === "telegram"
        ? (async () => {
            const secret = posted.header("X-Telegram-Bot-Api-Secret-Token");
            if (secret !== "right") return { status: 401, body: "" };
            heard.push(await posted.body());
            return { status: 200, body: "stored" };
          })()
        : undefined,
  });
  const post = (path: string, secret: string): Promise<Response> =>
    fetch(`${origin}${path}`, {
      method: "POST",
      headers: { "X-Telegram-Bot-Api-Secret-Token": secret },
      body: '{"update_id":1}',
    });
  assert.equal((await post("/gateway/telegram", "wrong")).status, 401);
  assert.deepEqual(heard, []);
  const taken = await post("/gateway/telegram", "right");
  assert.deepEqual([taken.status, await taken.text()], [200, "stored"]);
  assert.deepEqual(heard, ['{"update_id":1}']);
  assert.equal((await post("/gateway/discord", "right")).status, 404);
});
