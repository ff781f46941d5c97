import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, describe, test } from "node:test";
import { testFolder } from "../../../test/temp-folder.ts";
import { localOwner } from "../../core/principal.ts";
import { call, cardsWorld, says } from "./cards-world.suite.ts";

describe("the worker of a card that needs a yes", () => {
  test("does nothing of it, and the card waits for a person, with the question to be read", async (t) => {
    const it = await world(t);
    const { card, why } = await it.worked([]);
    assert.equal(card.state, "blocked");
    assert.partialDeepStrictEqual(card.block, { kind: "needs_input", releaser: "person" });
    assert.match(card.block?.reason ?? "", /needed an approval, and nobody was there to ask: .*touch/);
    assert.match(JSON.stringify(card.runs[0]?.evidence), /"refused":\[".*touch/);
    assert.match(JSON.stringify(why), /touch/);
    assert.equal(existsSync(it.file(1)), false);
  });

  test("runs what was allowed with the card, once, and nothing else", async (t) => {
    const it = await world(t, [1, 2, 1]);
    const { card } = await it.worked([it.touch(1)]);
    assert.equal(existsSync(it.file(1)), true);
    assert.equal(existsSync(it.file(2)), false);
    const calls = card.runs[0]?.evidence as {
      results: readonly { ok: boolean }[];
      refused: readonly string[];
    };
    assert.deepEqual(
      calls.results.map(({ ok }) => ok),
      [true, false, false],
    );
    assert.equal(calls.refused.length, 2);
  });

  test("does not run it when the program is not the one that was allowed", async (t) => {
    const it = await world(t);
    const { card } = await it.worked([it.touch(1)], "changed");
    assert.equal(card.state, "blocked");
    assert.equal(existsSync(it.file(1)), false);
  });
});

test("nothing is begun while work is paused, and it goes on by itself when it is resumed", async (t) => {
  const it = await cardsWorld(t, [call("kanban_complete", { summary: "Done." }), says("Done.")]);
  await using host = await it.open();
  const client = host.as(localOwner("cli"));
  await client.call("work.pause", {});
  const { id } = await client.call("kanban.add", { title: "Wait", runtime: "loop" });
  assert.match(JSON.stringify(await client.call("why.explain", { id })), /pause/);
  assert.equal((await client.call("kanban.show", { card: id })).state, "ready");
  assert.equal(it.model.requests.length, 0);
  const over = it.becomes("done", "blocked", "review");
  await client.call("work.resume", {});
  assert.equal((await over).state, "done");
});

/** A host that asks, and a model that wants to make these files outside of its folder before it says that it is done. */
async function world(t: TestContext, wanted: readonly number[] = [1]) {
  const is = { touched: "as it was" };
  const seams = { tieOf: async () => ({ bound: { touch: is.touched } }) };
  const outside = await testFolder(t);
  const file = (number: number): string => join(outside, `made${number}`);
  const touch = (number: number): string => `/usr/bin/touch ${file(number)}`;
  const calls = wanted.map((number) => call("terminal", { command: touch(number), escalate: true }));
  const it = await cardsWorld(t, [...calls, says("I may not."), says("I said so.")], "", seams);
  return {
    file,
    touch,
    async worked(allow: readonly string[], then = "as it was") {
      await using host = await it.open(false);
      const client = host.as(localOwner("cli"));
      const { id } = await client.call("kanban.add", {
        title: "Make it",
        runtime: "loop",
        allow: [...allow],
      });
      is.touched = then;
      const over = it.becomes("done", "blocked", "review");
      await using worker = await it.open();
      await over;
      const why = await client.call("why.explain", { id });
      return { card: await worker.as(localOwner("cli")).call("kanban.show", { card: id }), why };
    },
  };
}
