import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Client } from "../../core/calls.ts";
import { type Prices, unnamedModel } from "../../core/host.ts";
import { unpricedText } from "../../operations/text/unpriced.ts";
import { statusText } from "../../operations/text/work-text.ts";
import type { Action } from "./action.ts";
import { keys } from "./access.ts";
import { actions as goal } from "./goal.ts";
import { cron } from "./work.ts";

describe("a budget in USD that limits nothing", () => {
  const add = ["every 2h", "Look."];

  test("is told where it is given: for schedules, keys and goals", async () => {
    const told =
      /^no price of big at mine is known, so a budget in USD limits nothing there: set providers\.mine\.prices/;
    assert.match((await said(cron["add"]!, add, { budget: "0.01usd" })).join(), told);
    assert.match((await said(cron["edit"]!, ["look"], { budget: "$1" })).join(), told);
    assert.match((await said(keys["add"]!, ["it"], { budgetUsd: "0.01" })).at(-1) ?? "", told);
    assert.match((await said(goal["set"]!, ["Reach it"], { usd: "1" })).join(), told);
    assert.match((await said(goal["budget"]!, [], { usd: "1", session: "ses_1" })).join(), told);
  });

  test("is told by `work status` beside the limit", () => {
    const budgets = [{ key: "work.budget.day.usd", spent: 0, limit: 5 }];
    const status = { runner: "running", planned: 0, budgets, unpriced: "no price of big is known" } as const;
    assert.match(statusText(status), /day\.usd: 0\.00 of 5\.00 today\nWarning: no price of big is known\.$/);
  });

  test("is not told of tokens, of a model that has a price, or of a script", async () => {
    assert.deepEqual(await said(cron["add"]!, add, { budget: "200k" }), []);
    assert.deepEqual(await said(cron["add"]!, add, { budget: "1usd", model: "small" }), []);
    assert.deepEqual(await said(cron["add"]!, add, { budget: "1usd", script: "df -h" }), []);
    assert.equal((await said(keys["add"]!, ["it"], { budgetTokens: "9" })).length, 1);
    assert.deepEqual(await said(goal["budget"]!, [], { turns: "3", session: "ses_1" }), []);
  });

  test("names each model once, and what would hold there", () => {
    assert.match(
      at({ priced: ["a"] }, "a", undefined, "b", "b"),
      /^no price of big, b at mine .*, or --turns$/,
    );
    assert.match(at({}, "a"), /limits nothing there: use --turns$/, "nothing can have a price there");
    const unnamed = { model: unnamedModel };
    assert.match(at({ ...unnamed, priced: [] }, undefined), /of the model that the provider chooses/);
    assert.equal(at({ ...unnamed, priced: ["a"] }, undefined), "", "nobody knows which it will be");
  });
});

const at = (prices: Partial<Prices>, ...models: (string | undefined)[]): string =>
  unpricedText({ model: "big", provider: "mine", ...prices }, models, "--turns") ?? "";

/** What a command warns of, on a provider with a price of one model. */
async function said(act: Action, words: readonly string[], options: object): Promise<readonly string[]> {
  const client = { call: async (name: string, input: object) => answers[name]?.(input) } as unknown as Client;
  const ports = { cwd: "/", doors: async () => ["here"] };
  return (await act(client, { words, options, ports } as never)).warnings ?? [];
}

type Given = { readonly script?: string; readonly change?: object };

const made = ({ script, change, ...given }: Given) => {
  const command = script === undefined ? {} : { script: { command: script } };
  const job = { cwd: "/", runtime: "loop", ...given, ...change, ...command };
  return { name: "look", id: "sch_1", next: [], timing: { kind: "once", at: 0 }, job, runner: "running" };
};

const limited = () => ({
  session: "ses_1",
  text: "Reach it",
  subgoals: [],
  state: "active",
  limit: { turns: 3 },
});

const answers: Readonly<Record<string, (input: Given) => object>> = {
  "host.status": () => ({ model: "big", provider: "mine", priced: ["small"] }),
  "cron.add": made,
  "cron.edit": made,
  "keys.add": (given) => ({ ...given, id: "key_1", key: "tal_1" }),
  "sessions.get": () => ({ id: "ses_1" }),
  "goals.set": limited,
  "goals.resume": limited,
  "goals.budget": limited,
};
