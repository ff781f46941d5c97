import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { TurnEvent } from "../../src/core/events.ts";
import type { Message } from "../../src/core/messages.ts";
import { suiteRuntime } from "../../src/runtimes/codex/codex.suite.ts";
import { patience, realPlace } from "../../src/runtimes/codex/real-codex.suite.ts";
import { fieldsOf, listOf } from "../../src/runtimes/codex/wire/fields.ts";
import { portsOf, turnOf } from "../../src/runtimes/runtime.suite.ts";
import type { Ports } from "../../src/runtimes/runtime.ts";
import { pinnedCodex } from "../codex-schema/pinned-codex.ts";
import { type RawProvider, startRawProvider } from "../fakes/raw-provider.ts";
import { ownWill } from "./codex-tools.suite.ts";
import { calls, says, script, sse } from "./model-answers.ts";

const goal = calls("create_goal", { objective: "count to a million" });
const agents = [
  calls("spawn_agent", { message: "do it" }, "multi_agent_v1"),
  calls("spawn_agent", { task_name: "it", message: "do it" }, "collaboration"),
];

const escalated = calls("exec_command", {
  cmd: "touch made",
  sandbox_permissions: "require_escalated",
  justification: "May I?",
});

describe(
  "a model that calls what it is not offered, on the real codex",
  { concurrency: 2, timeout: 120_000 },
  () => {
    for (const model of ["gpt-5.5", "gpt-6.1-sol"]) {
      test(`${model} is told so, and nothing goes on after the turn`, async () => {
        const code = script(
          'for (const name of ["create_goal", "collaboration__spawn_agent"]) text(`${name}: ${typeof tools[name]}`);',
        );
        await using it = await place(model, [[goal, ...agents, code], says("First."), says("Second.")]);
        const first = await it.turn("hello");
        assert.deepEqual(endOf(first), { outcome: "done", text: "First." });
        const second = await it.turn("again", answered("hello", "First."));
        assert.deepEqual(endOf(second), { outcome: "done", text: "Second." });
        assert.equal(it.model.requests.length, 3, "one for each answer of ours");
        const told = outputsIn(it.model, 1);
        assert.equal(told.filter((output) => output.includes("unsupported call")).length, 3, told.join("\n"));
        if (model === "gpt-6.1-sol")
          assert.match(told.join("\n"), /create_goal: undefined[\s\S]*collaboration__spawn_agent: undefined/);
        const threads = it.model.requests.map(({ headers }) => headers["thread-id"]);
        assert.equal(new Set(threads).size, 1, "there is one thread, ours");
      });
    }

    test("a goal that another process left open does not go on with the thread", async () => {
      await using it = await place("gpt-5.5", [[goal], says("First."), says("Second."), says("Third.")]);
      // Codex's own turn is stopped there, often before it has asked its model anything.
      await it.turnBefore("hello", "features.goals=true", 2);
      const before = it.model.requests.length;
      const one = endOf(await it.turn("one", answered("hello", "First.")));
      assert.equal(one.outcome, "done");
      const history = [...answered("hello", "First."), ...answered("one", one.text)];
      assert.deepEqual(endOf(await it.turn("two", history)).outcome, "done");
      assert.equal(it.model.requests.length, before + 2);
    });

    for (const begun of [false, true]) {
      const where = begun ? "on a thread that was begun so" : "by the person's own settings";
      test(`no model answers in the person's place ${where}`, async () => {
        const replies = [[escalated], says("Done.")];
        await using it = await place("gpt-5.5", begun ? [says("Done."), ...replies] : replies);
        if (begun) await it.turnBefore("hello", 'approvals_reviewer="auto_review"', 1);
        const asked: string[] = [];
        await it.turn("again", begun ? answered("hello", "Done.") : [], {
          ask: async ({ summary }) => {
            asked.push(summary);
            return { choice: "deny", why: "person" };
          },
        });
        assert.equal(asked.length, 1, "we are asked");
        assert.equal(it.model.requests.length, begun ? 3 : 2, "and no model is");
      });
    }
  },
);

type Place = AsyncDisposable & {
  readonly model: RawProvider;
  turn(input: string, history?: readonly Message[], more?: Partial<Ports>): Promise<readonly TurnEvent[]>;
  /** The first turn of the thread, in a process in which codex may do this, until the model was asked so often. */
  turnBefore(input: string, setting: string, requests: number): Promise<void>;
};

async function place(model: string, replies: readonly (readonly object[])[]): Promise<Place> {
  await using opened = new AsyncDisposableStack();
  const raw = opened.use(await startRawProvider(replies.map((items) => ({ body: sse(items) }))));
  const real = opened.use(await realPlace(pinnedCodex()));
  await writeFile(join(real.home, "config.toml"), ownWill);
  const launch = real.launch({ route: { name: "raw", url: raw.url, headers: {} }, model });
  const ports = portsOf([], patience);
  let runtime: ReturnType<typeof suiteRuntime> | undefined;
  const kept = opened.move();
  const turnWith = (input: string, history: readonly Message[] = []) => ({
    ...turnOf({ input, history }),
    cwd: real.work,
  });
  return {
    model: raw,
    turn(input, history = [], more = {}) {
      runtime ??= kept.use(suiteRuntime(launch, model));
      return Array.fromAsync(runtime.run(turnWith(input, history), { ...ports, ...more }));
    },
    async turnBefore(input, setting, requests) {
      await using other = suiteRuntime({ ...launch, args: [...launch.args, "-c", setting] }, model);
      await Array.fromAsync(other.run(turnWith(input), ports));
      await raw.waitFor(requests);
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

const answered = (input: string, text: string): readonly Message[] => [
  { role: "user", content: input },
  { role: "assistant", content: text },
];

function endOf(events: readonly TurnEvent[]): { readonly outcome: string; readonly text: string } {
  const last = events.at(-1);
  assert.ok(last?.type === "ended", JSON.stringify(last));
  return { outcome: last.outcome, text: last.text };
}

/** What the model was told of its calls, in one request. */
const outputsIn = ({ requests }: RawProvider, at: number): readonly string[] =>
  listOf(fieldsOf(JSON.parse(requests[at]?.body ?? "{}"))["input"])
    .map(fieldsOf)
    .filter(({ type }) => type === "function_call_output" || type === "custom_tool_call_output")
    .map(({ output }) => JSON.stringify(output));
