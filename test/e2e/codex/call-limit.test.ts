import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { says } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import { runs, talariaOnCodex } from "./codex-talaria.ts";

const steps = (count: number, reply: readonly object[]): readonly object[] =>
  Array.from({ length: count }, () => ({ reply }));

const tenCommands = Array.from({ length: 10 }, () => runs("true"));
const tenInCode = {
  custom: {
    tool: "exec",
    input: 'for (let at = 0; at < 10; at++) await tools.exec_command({ cmd: "true" });',
  },
};

describe("calls in one turn on codex", { concurrency: 2 }, () => {
  const models = [
    ["gpt-5.5", tenCommands],
    ["gpt-6.1-sol", [tenInCode]],
  ] as const;
  for (const [model, ten] of models) {
    test(`are 100 at most, as on the loop: then it is stopped and says why (${model})`, async () => {
      await using it = await talariaOnCodex([...steps(20, ten), says("All of them ran.")]);
      const { code, items, ended } = await it.turn(["--model", model, "go"]);
      assert.equal(code, 1);
      assert.partialDeepStrictEqual(ended, { outcome: "failed", fault: { code: "refused" } });
      assert.match(ended.fault?.message ?? "", /used up its 100 tool calls/);
      const ran = items.filter((item) => item.kind === "call" && item.ok).length;
      assert.ok(ran >= 100 && ran <= 110, `${ran} ran`);
      const asked = it.model.requests.length;
      assert.ok(asked <= 11, `${asked} requests`);
      assert.partialDeepStrictEqual(await onDisk(it.home), [{ turns: ["failed"] }]);
    });
  }

  test("may be exactly as many", async () => {
    await using it = await talariaOnCodex([...steps(10, tenCommands), says("All of them ran.")]);
    const { code, ended } = await it.turn(["go"]);
    assert.deepEqual([code, ended.calls, ended.text], [0, 100, "All of them ran."]);
  });
});
