import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { says, scriptedRuntime } from "../../test/fakes/scripted-runtime.ts";
import { input, testHome } from "../../test/fakes/test-agent.ts";
import { asId } from "../core/ids.ts";

describe("what a chat is answered", () => {
  test("a chat hears why its turn failed", async () => {
    await using home = await testHome();
    const fault = { code: "auth", message: "The key was refused.", next: "Set another key." } as const;
    const agent = await home.open(
      scriptedRuntime(async function* () {
        yield { type: "ended", outcome: "failed", fault, text: "", calls: 0 };
      }),
    );
    await (
      await agent.send(input("hello", { surface: "telegram" }))
    ).ended;
    const bodies = (await home.disk.outbox.inState("pending", "telegram")).map(({ body }) => body);
    assert.deepEqual(bodies, [{ kind: "answer", markdown: "The key was refused. Set another key." }]);
  });

  test("a chat is answered where it asked, whatever the answer is", async () => {
    await using home = await testHome();
    const agent = await home.open(scriptedRuntime((turn) => says(" [SILENT]\n", turn)));
    const asked = input("hello", { surface: "slack" });
    const key = { ...asked.key, account: "bot", chat: "c/7" };
    await (
      await agent.send({ ...asked, key })
    ).ended;
    const [row, ...others] = await home.disk.outbox.inState("pending");
    assert.deepEqual(others, []);
    const { surface, account, chat, replyTo, body } = row ?? {};
    assert.deepEqual({ surface, account, chat, messageId: replyTo }, key);
    assert.deepEqual(body, { kind: "answer", markdown: " [SILENT]\n" });
  });

  for (const [words, isPosted] of [
    [" [SILENT]\n", false],
    ["It is late. [SILENT]", true],
  ] as const)
    test(`work that nobody typed ${isPosted ? "is answered" : "can be left unanswered"}: ${JSON.stringify(words)}`, async () => {
      await using home = await testHome();
      const agent = await home.open(scriptedRuntime((turn) => says(words, turn)));
      const { row } = await home.disk.inbox.admit({
        ...input("Anything new?", { surface: "telegram" }),
        id: asId<"inb">("inb_work"),
        at: 1,
        work: { origin: "schedule", subject: "s", dueAt: 1, attempt: 1, terms: { target: "local" } },
      });
      await (
        await agent.start(row, {})
      ).ended;
      const posted = (await home.disk.outbox.inState("pending")).map(({ body, replyTo }) => [body, replyTo]);
      assert.deepEqual(posted, isPosted ? [[{ kind: "answer", markdown: words }, undefined]] : []);
    });
});
