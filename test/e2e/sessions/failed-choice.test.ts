import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { says, talariaOn } from "../endpoint.ts";

const noModel = {
  reply: [{ http: { status: 404, body: { error: { code: "model_not_found", message: "no such model" } } } }],
};
const modelsOf = (model: { readonly requests: readonly { readonly body: object }[] }): readonly unknown[] =>
  model.requests.map(({ body }) => (body as { model?: unknown }).model);

describe("what is chosen with a message", () => {
  test("does not stay with the session when the message failed for it, and that is said", async () => {
    await using it = await talariaOn([
      says("One."),
      noModel,
      says("Two."),
      says("Three."),
      noModel,
      says("Four."),
    ]);
    await it.run(["run", "hello"]);
    const failed = await it.run(["run", "--continue", "--model", "nosuch", "hello"]);
    assert.equal(failed.code, 2);
    assert.match(failed.stderr, /with `--model`.* model nosuch does not stay with the session\.\n$/s);
    const back = await it.run(["run", "--continue", "hello"]);
    assert.deepEqual([back.code, back.stdout.trim()], [0, "Two."]);
    await it.run(["run", "--continue", "--model", "other", "hello"]);
    await it.run(["run", "--continue", "--model", "nosuch", "hello"]);
    await it.run(["run", "--continue", "hello"]);
    assert.deepEqual(modelsOf(it.model), ["gpt-5.5", "nosuch", "gpt-5.5", "other", "nosuch", "other"]);
  });

  test("a runtime that cannot run does not stay either", async () => {
    await using it = await talariaOn([says("One."), says("Two.")], { protocol: "chat" });
    await it.run(["run", "hello"]);
    assert.equal((await it.run(["run", "--continue", "--runtime", "codex", "hello"])).code, 2);
    const back = await it.run(["run", "--continue", "hello"]);
    assert.deepEqual([back.code, back.stdout.trim()], [0, "Two."]);
  });

  test("in the chat the advice names commands of the chat", async () => {
    await using it = await talariaOn([noModel]);
    const { stderr } = await it.run([], { input: "/model nosuch\nhello\n" });
    assert.match(stderr, /Choose another model with `\/model NAME` or/);
    assert.doesNotMatch(stderr, /--model/);
  });
});
