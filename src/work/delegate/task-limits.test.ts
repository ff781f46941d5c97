import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Script, aborted, done, says } from "../../../test/fakes/scripted-runtime.ts";
import type { AskingTurn } from "../../agent/index.ts";
import type { Decision, Question } from "../../core/asking.ts";
import { asId } from "../../core/ids.ts";
import { endless, taskWorld } from "./delegation.suite.ts";

describe("the budget of a task", () => {
  test("of time ends it with what it had said, and the wait for a person is not counted", async () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<Decision>();
    const work = endless("I looked at half of it.");
    await using it = await taskWorld(
      {
        slow: async function* (turn, ports) {
          await ports.ask(question("rm -f x"), ports.signal);
          yield* work.script(turn, ports);
        },
      },
      {
        settings: { maxMs: 60_000 },
        asking: () => ({
          ask: async () => (asked.resolve(), answer.promise),
          inquire: async () => undefined,
        }),
      },
    );
    const { result } = await it.handOn({ goal: "slow" });
    await asked.promise;
    await it.home.clock.advance(600_000);
    assert.deepEqual(
      it.tasks.list().map(({ now }) => now),
      ["waits for an answer: rm -f x"],
    );
    answer.resolve({ choice: "once", why: "person" });
    await work.begun;
    await it.home.clock.advance(60_000);
    const { ok, output } = await result;
    assert.equal(ok, false);
    assert.match(
      output,
      /: failed .* The turn was ended after 60 s of work.* raise delegation\.max_seconds /,
    );
    assert.match(output, /so far:\nI looked at half of it\.$/);
    assert.ok(it.lines.includes("1 ? scripted · waits for an answer: rm -f x\n"));
  });

  test("of tokens ends it, and the price of what is unknown is said", async () => {
    await using it = await taskWorld(
      {
        dear: async function* (turn, { signal }) {
          yield { type: "item", item: { id: asId<"itm">(`${turn.id}_0`), kind: "text", text: "Half." } };
          for (const tokens of [900, 1001, 5000]) {
            yield spend(tokens);
            if (signal.aborted)
              return yield { type: "ended", outcome: "interrupted", text: "Half.", calls: 0 };
          }
          yield done("never");
        },
      },
      { settings: { budget: { tokens: 1000, usd: 1 } } },
    );
    const { session, result } = await it.handOn({ goal: "dear" });
    const { output } = await result;
    assert.match(
      output,
      /it has used 1,001 tokens of its budget of 1,000 tokens\. .*delegation\.budget\.tokens/,
    );
    assert.match(output, /so far:\nHalf\.\n\[note: delegation\.budget\.usd does not hold here: no price of /);
    assert.equal((await it.home.disk.usage.sum({ session })).input, 1001, "the session pays for its tasks");
  });

  test("of the session counts what its tasks have spent", async () => {
    const spent = { input: 700, cached: 0, output: 0, reasoning: 0, context: { used: 700 } };
    const spends: Script = async function* () {
      yield { ...done("Dear."), usage: spent };
    };
    const budgets = { turn: {}, session: { tokens: 1000 }, day: {} };
    await using it = await taskWorld(
      { a: spends, b: spends, c: spends },
      {
        settings: { maxConcurrent: 1 },
        deps: { spending: { provider: "p", priceOf: () => undefined, budgets } },
      },
    );
    const goals = ["a", "b", "c"].map((goal) => ({ goal }));
    const { output } = await (await it.handOn({ tasks: goals })).result;
    assert.match(output, /Task 3 of 3: failed .*this session has used 1,400 tokens of its budget of 1,000/);
  });
});

describe("what a task asks", () => {
  test("is asked by the turn that handed it on, and says for which task", async () => {
    const turns: AskingTurn[] = [];
    const questions: Question[] = [];
    const titles: string[] = [];
    await using it = await taskWorld(
      {
        "tidy up": async function* (turn, ports) {
          const decision = await ports.ask(question("rm -f x"), ports.signal);
          const form = { title: "Which?", fields: [{ name: "a", label: "A" }] };
          const given = await ports.inquire(form, ports.signal);
          yield* says(JSON.stringify([decision.choice, given]), turn);
        },
      },
      {
        asking(turn) {
          turns.push(turn);
          return {
            ask: async (asked) => (questions.push(asked), { choice: "session", why: "person" }),
            inquire: async ({ title }) => (titles.push(title), { a: "this" }),
          };
        },
      },
    );
    const { session, result, ended } = await it.handOn({ goal: "tidy up", runtime: "codex" });
    assert.match((await result).output, /\n\["session",\{"a":"this"\}\]$/);
    assert.deepEqual(
      turns.map((turn) => [turn.session, turn.turn, turn.surface, turn.attended]),
      [[session, (await ended)?.turn, "cli", "ask"]],
      "the task has no questions of its own",
    );
    assert.deepEqual(questions, [
      {
        ...question("rm -f x"),
        summary: "for the delegated task “tidy up”: rm -f x",
        reason: "Asked for the delegated task “tidy up”, which runs on codex. It deletes.",
      },
    ]);
    assert.deepEqual(titles, ["for the delegated task “tidy up”: Which?"]);
  });

  test("is withdrawn at once when the task is stopped", async () => {
    const open = Promise.withResolvers<AbortSignal>();
    await using it = await taskWorld(
      {
        ask: async function* (_turn, ports) {
          await ports.ask(question("rm -f x"), ports.signal);
          yield { type: "ended", outcome: "interrupted", text: "", calls: 0 };
        },
      },
      {
        asking: () => ({
          inquire: async () => undefined,
          ask: async (_question, signal) => {
            open.resolve(signal);
            await aborted(signal);
            return { choice: "deny", why: "withdrawn" };
          },
        }),
      },
    );
    const { result } = await it.handOn({ goal: "ask" });
    const signal = await open.promise;
    const stopping = it.tasks.stop(it.tasks.list()[0]?.session ?? asId<"ses">(""));
    assert.equal(signal.aborted, true, "before anything else happens");
    await stopping;
    assert.match((await result).output, /stopped by the person/);
  });
});

const question = (summary: string): Question => ({
  tool: "terminal",
  args: { command: summary },
  cwd: "/w",
  effect: "local",
  action: { kind: "command", command: summary, fence: "none" },
  summary,
  reason: "It deletes.",
});

const spend = (tokens: number) =>
  ({ type: "usage", input: tokens, cached: 0, output: 0, reasoning: 0, context: { used: 1 } }) as const;
