import assert from "node:assert/strict";
import { test } from "node:test";
import type { Decision, Question } from "../../core/asking.ts";
import { asId } from "../../core/ids.ts";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { scriptedRuntime } from "../../../test/fakes/scripted-runtime.ts";
import { input, sessionOf, testHome, watch } from "../../../test/fakes/test-agent.ts";
import { budgetSpent, turnBudget, workLimit } from "./turn-budget.ts";

const question: Question = {
  tool: "t",
  args: {},
  cwd: "/",
  effect: "local",
  action: { kind: "tool" },
  summary: "t",
};
const { signal } = new AbortController();

test("a budget is used up by work, and not by the wait for a person", async () => {
  const clock = fakeClock(0);
  using budget = turnBudget(clock, 1000);
  const answer = Promise.withResolvers<Decision>();
  const { ask } = budget.pausing({ ask: () => answer.promise, inquire: async () => undefined });
  await clock.advance(600);
  const first = ask(question, signal);
  const second = ask(question, signal);
  await clock.advance(100_000);
  assert.equal(budget.signal.aborted, false, "two questions are open");
  answer.resolve({ choice: "deny", why: "person" });
  await Promise.all([first, second]);
  await clock.advance(399);
  assert.equal(budget.signal.aborted, false);
  await clock.advance(1);
  assert.equal(budget.signal.aborted, true);
});

test("a single question stops the time of a budget as well", async () => {
  const clock = fakeClock(0);
  using budget = turnBudget(clock, 1000);
  const answer = Promise.withResolvers<Decision>();
  const { ask } = budget.pausing({ ask: () => answer.promise, inquire: async () => undefined });
  const asked = ask(question, signal);
  await clock.advance(100_000);
  answer.resolve({ choice: "deny", why: "person" });
  await asked;
  await clock.advance(999);
  assert.equal(budget.signal.aborted, false);
});

test("without a budget a turn may work for ever", async () => {
  const clock = fakeClock(0);
  using budget = turnBudget(clock, undefined);
  await clock.advance(1e9);
  assert.equal(budget.signal.aborted, false);
});

test("a turn that works longer than its budget is ended as failed, with what it finished", async () => {
  await using home = await testHome();
  const runtime = scriptedRuntime(async function* (turn, { signal: stop }) {
    yield { type: "item", item: { id: asId<"itm">(`${turn.id}_0`), kind: "text", text: "So far." } };
    await new Promise((resolve) => stop.addEventListener("abort", resolve));
    yield { type: "ended", outcome: "interrupted", text: "So far.", calls: 0 };
  });
  const agent = await home.open(runtime, { turnBudgetMs: 60_000 });
  const incoming = input("work");
  const seen = watch(agent, sessionOf(incoming));
  const item = seen.next("item");
  const { ended } = await agent.send(incoming);
  await item;
  await home.clock.advance(60_000);
  assert.partialDeepStrictEqual(await ended, {
    outcome: "failed",
    text: "So far.",
    fault: {
      code: "refused",
      message: "The turn was ended after 60 s of work, which is its budget.",
    },
  });
});

test("the time of one turn is the shorter one of what every turn and what this one may, and says who set it", () => {
  const own = { section: "delegation", workMs: 1000 };
  assert.deepEqual(workLimit(undefined, own), { ms: 1000, key: "delegation.max_seconds" });
  assert.deepEqual(workLimit(2000, own), { ms: 1000, key: "delegation.max_seconds" });
  assert.deepEqual(workLimit(500, own), { ms: 500, key: "turn.budget" });
  assert.deepEqual(workLimit(undefined, undefined), { ms: undefined, key: "turn.budget" });
  assert.match(budgetSpent(workLimit(undefined, own)).next, /raise delegation\.max_seconds in/);
});

test("a budget that is longer than a timer can be is none that ends at once", () => {
  const asked: number[] = [];
  const clock = { ...fakeClock(0), sleep: (ms: number) => (asked.push(ms), new Promise<void>(() => {})) };
  using budget = turnBudget(clock, 1e12);
  assert.deepEqual([asked, budget.signal.aborted], [[2 ** 31 - 1], false]);
});
