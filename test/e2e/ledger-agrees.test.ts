import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { says, talariaOn } from "./endpoint.ts";

describe("the end of every test on a scripted model", () => {
  test("fails when the model was asked something that is in no ledger", async () => {
    const it = await talariaOn([says("One."), says("A ghost.")]);
    assert.equal((await it.run(["run", "hello"])).code, 0);
    const body = JSON.stringify({ model: "gpt-5.5", input: "nobody asked for this" });
    await (await fetch(`${it.model.url}/responses`, { method: "POST", body })).text();
    await assert.rejects(
      async () => it[Symbol.asyncDispose](),
      /The model had 2 requests and reported tokens for 2 of them/,
    );
  });

  test("fails when a request was kept nowhere, although the model said nothing of tokens", async () => {
    const it = await talariaOn([{ reply: [{ http: { status: 500, body: "no" } }] }]);
    await fetch(`${it.model.url}/responses`, { method: "POST", body: "{}" });
    await assert.rejects(async () => it[Symbol.asyncDispose](), /Nobody kept a request/);
  });

  test("is content with what it finds otherwise", async () => {
    await using it = await talariaOn([says("One.")]);
    assert.equal((await it.run(["run", "hello"])).code, 0);
  });
});
