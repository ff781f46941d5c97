import assert from "node:assert/strict";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { says, talariaOn } from "./endpoint.ts";
import type { Talaria } from "./talaria.ts";

const answers = [says("One."), says("Two."), says("Three.")];

/** What a person adds to the settings, each on a line of its own. */
const set = async (it: Talaria, ...settings: readonly (readonly [string, string])[]): Promise<void> => {
  for (const [key, value] of settings) {
    const { code, stderr } = await it.run(["config", "set", key, value]);
    assert.equal(code, 0, stderr);
  }
};

const prices = ['providers.mine.prices."gpt-5.5"', "{input: 2, cached: 0.5, output: 10}"] as const;

describe("talaria usage", { concurrency: 2 }, () => {
  test("says what two turns used and cost, by day, model and cause", async () => {
    await using it = await talariaOn(answers);
    assert.equal((await it.run(["usage"])).stdout, "Nothing was spent yet.\n");
    await set(it, prices);
    const first = await it.run(["run", "--json", "hello"]);
    await it.run(["run", "--continue", "and again"]);
    const { code, lines } = await it.run(["usage", "--json"]);
    assert.equal(code, 0);
    const total = lines.at(-1) as unknown as Record<string, number>;
    const { input = 0, cached = 0, output = 0 } = total;
    assert.deepEqual([total["by"], total["rows"], total["unpriced"]], ["total", 2, 0]);
    assert.ok(input > 0 && output > 0);
    const cost = ((input - cached) * 2 + cached * 0.5 + output * 10) / 1e6;
    assert.ok(Math.abs((total["cost"] ?? 0) - cost) < 1e-9, `${total["cost"]} is not ${cost}`);
    assert.deepEqual(
      lines.filter(({ by }) => by === "model" || by === "cause").map(({ name }) => name),
      ["mine/gpt-5.5", "turn"],
    );
    const shown = await it.run(["usage", "--session", String(first.lines[0]?.session), "--days", "2"]);
    assert.match(shown.stdout, /^mine\/gpt-5\.5 +[\d,]+ +\d+ +[\d,]+ +\d+ +0\.\d{4}$/m);
    assert.equal((await it.run(["usage", "--days", "0"])).code, 2);
    assert.equal((await it.run(["usage", "--session", "ses_nobody"])).code, 2);
  });

  test("shows what it cost after the session is deleted, and an unknown cost as unknown", async () => {
    await using it = await talariaOn(answers);
    const { lines } = await it.run(["run", "--json", "hello"]);
    await it.run(["sessions", "delete", String(lines[0]?.session), "--yes"]);
    const { stdout } = await it.run(["usage"]);
    assert.match(stdout, /^mine\/gpt-5\.5 .* unknown$/m);
    assert.match(stdout, /unknown: no price is set for the model/);
  });

  test("a budget of a day that is used up refuses the next turn and says what to do", async () => {
    await using it = await talariaOn(answers);
    await appendFile(join(it.home, "config.yaml"), "budgets: { day: { tokens: 1 } }\n");
    assert.equal((await it.run(["run", "hello"])).code, 0, "an answer that is there is not taken back");
    const { code, stderr } = await it.run(["run", "again"]);
    assert.equal(code, 1);
    assert.match(stderr, /today has used [\d,]+ tokens of its budget of 1 token\b/);
    assert.match(stderr, /raise budgets\.day\.tokens in config\.yaml/);
    assert.equal(it.model.total, 1);
    assert.match((await it.run(["usage"])).stdout, /^budgets\.day\.tokens: [\d,]+ of 1 used$/m);
  });
});
