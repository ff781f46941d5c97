import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { says } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import { runs, talariaOnCodex } from "./codex-talaria.ts";

const times = (count: number, part: object): object => ({ reply: Array.from({ length: count }, () => part) });
const inCode = (count: number, call: string): object => ({
  reply: [{ custom: { tool: "exec", input: `for (let at = 0; at < ${count}; at++) await tools.${call};` } }],
});

/** Whatever is called counts; commands, each of which is a process, take codex longest. */
const classic = {
  most: times(98, { call: { tool: "todo", args: {} } }),
  two: times(2, runs("true")),
};
const code = {
  most: inCode(98, "talaria__todo({})"),
  two: inCode(2, 'exec_command({ cmd: "true" })'),
};

describe("calls in one turn on codex", { concurrency: 2 }, () => {
  const models = [
    ["gpt-5.5", classic],
    ["gpt-6.1-sol", code],
  ] as const;
  for (const [model, { most, two }] of models) {
    test(`are 100 at most, as on the loop: then it is stopped and says why (${model})`, async () => {
      await using it = await talariaOnCodex([most, two, two, two, says("All of them ran.")]);
      const { code: exit, items, ended } = await it.turn(["--model", model, "go"]);
      assert.equal(exit, 1);
      assert.partialDeepStrictEqual(ended, { outcome: "failed", fault: { code: "refused" } });
      assert.match(ended.fault?.message ?? "", /used up its 100 tool calls/);
      const ran = items.filter((item) => item.kind === "call" && item.ok).length;
      assert.ok(ran >= 100 && ran <= 102, `${ran} ran`);
      const asked = it.model.requests.length;
      assert.ok(asked <= 3, `${asked} requests`);
      assert.partialDeepStrictEqual(await onDisk(it.home), [{ turns: ["failed"] }]);
    });
  }

  test("may be exactly as many", async () => {
    const { most, two } = classic;
    await using it = await talariaOnCodex([most, two, says("All of them ran.")]);
    const { code: exit, ended } = await it.turn(["go"]);
    assert.deepEqual([exit, ended.calls, ended.text], [0, 100, "All of them ran."]);
  });
});
