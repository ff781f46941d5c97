import assert from "node:assert/strict";
import { test } from "node:test";
import { openHttp } from "./index.ts";
import { modelWorld } from "./model-world.suite.ts";

test("whoever waits for an answer hears that the door is being closed, with a stream and without", async (t) => {
  const world = await modelWorld(t, [
    { when: "hang", reply: [{ hang: true }] },
    { when: "hang", reply: [{ hang: true }] },
  ]);
  const door = await openHttp({ host: world.host, port: 0 });
  assert.ok(door);
  const key = await world.key("operate");
  const ask = (stream: boolean) =>
    fetch(`${door.address}/v1/chat/completions`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ model: "talaria", stream, messages: [{ role: "user", content: "hang" }] }),
    });
  const [streamed, whole] = [ask(true), ask(false)];
  await world.model.waitForRequest(2);
  await streamed;
  await door[Symbol.asyncDispose]();
  const answer = await whole;
  assert.equal(answer.status, 503);
  for (const said of [await answer.text(), await (await streamed).text()])
    assert.match(said, /"code":"stopping","message":"Talaria is being stopped\."/);
});
