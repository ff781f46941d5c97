import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { z } from "zod";
import { fakeClock } from "../../test/fakes/fake-clock.ts";
import type { Decision, Question } from "../core/asking.ts";
import { asId } from "../core/ids.ts";
import { toolBox } from "./registry.ts";
import type { Tool, ToolContext, TurnContext } from "./tool.ts";
import { ownersTurn } from "../../test/owners-turn.ts";

const schema = z.object({ words: z.string(), times: z.int().min(1).default(1) });

const echo = (more: Partial<Tool<typeof schema>> = {}): Tool<typeof schema> => ({
  name: "echo",
  description: "Say it again.",
  schema,
  effect: "none",
  toolset: "test",
  timeoutMs: 5000,
  maxOutputChars: 100,
  run: async ({ words, times }) => ({ ok: true, output: words.repeat(times) }),
  ...more,
});

function context(decision?: Decision) {
  const asked: Question[] = [];
  const clock = fakeClock();
  const boxContext: TurnContext = {
    session: asId<"ses">("ses_0000000001"),
    turn: asId<"trn">("trn_1"),
    ...ownersTurn,
    cwd: "/repo",
    clock,
    inquire: async () => undefined,
    async ask(question) {
      asked.push(question);
      return decision ?? { choice: "once", why: "person" };
    },
  };
  return { asked, clock, boxContext };
}

/** A run that ends only when it is told to, and tells that it was. */
function endless() {
  const started = Promise.withResolvers<void>();
  const told = Promise.withResolvers<void>();
  const run: Tool["run"] = async (_args, { signal }) => {
    signal.addEventListener("abort", () => told.resolve());
    started.resolve();
    return new Promise(() => {});
  };
  return { run, started: started.promise, told: told.promise };
}

const never = new AbortController().signal;
const call = (tool: Tool, args: unknown = { words: "hi" }) =>
  toolBox([tool], context().boxContext).call(tool.name, args, never);

describe("calling a tool", () => {
  test("runs it with checked arguments, defaults filled in", async () => {
    assert.deepEqual(await call(echo(), { words: "hi", times: 2 }), { ok: true, output: "hihi" });
    assert.deepEqual(await call(echo(), { words: "hi" }), { ok: true, output: "hi" });
  });

  test("takes missing arguments for none", async () => {
    const tool: Tool = { ...echo(), schema: z.object({}), run: async () => ({ ok: true, output: "ran" }) };
    assert.deepEqual(await call(tool, null), { ok: true, output: "ran" });
  });

  test("with bad arguments says what is wrong with each and what they have to be, and runs nothing", async () => {
    const result = await call(echo({ run: () => assert.fail("it ran") }), { words: 7, times: 0 });
    assert.equal(result.ok, false);
    assert.match(result.output, /^- words: .*expected string.*number/m);
    assert.match(result.output, /^- times: .*>=1/m);
    assert.match(result.output, /JSON Schema: \{"properties":\{"times"/);
  });

  test("that does not exist names those that do", async () => {
    const box = toolBox([echo(), echo({ name: "other" })], context().boxContext);
    assert.deepEqual(await box.call("eco", {}, never), {
      ok: false,
      output: 'There is no tool "eco". There are: echo, other.',
    });
  });

  test("that cannot be used here says why, and it is not offered", async () => {
    const tool = echo({ unavailable: () => "no key is set." });
    assert.deepEqual(await call(tool), { ok: false, output: "echo cannot be used here: no key is set." });
    assert.deepEqual(toolBox([tool], context().boxContext).specs, []);
  });

  test("whose check of availability breaks counts as unavailable", async () => {
    const tool = echo({
      unavailable: () => {
        throw new Error("no such folder");
      },
    });
    assert.equal((await call(tool)).output, "echo cannot be used here: no such folder");
  });

  test("that is not allowed is neither offered nor run", async () => {
    const box = toolBox([echo(), echo({ name: "memory" })], context().boxContext, {
      allow: (tool) => tool.name === "memory",
    });
    assert.deepEqual(
      box.specs.map((spec) => spec.name),
      ["memory"],
    );
    assert.equal((await box.call("echo", { words: "hi" }, never)).ok, false);
  });

  test("cuts long output in the middle", async () => {
    const { output } = await call(echo(), { words: "x", times: 1000 });
    assert.match(output, /^x{50}\n\[900 characters left out\]\nx{50}$/);
  });

  test("turns an exception, thrown or rejected, into an answer without a stack", async () => {
    const failure = { ok: false, output: "echo failed: disk on fire" };
    const thrower = echo({
      run: () => {
        throw new Error("disk on fire");
      },
    });
    assert.deepEqual(await call(thrower), failure);
    assert.deepEqual(await call(echo({ run: () => Promise.reject(new Error("disk on fire")) })), failure);
  });
});

describe("time", () => {
  test("ends a tool that takes too long, and tells it so", async () => {
    const { boxContext, clock } = context();
    const slow = endless();
    const result = toolBox([echo({ run: slow.run })], boxContext).call("echo", { words: "" }, never);
    await slow.started;
    await clock.advance(5000);
    assert.deepEqual(await result, {
      ok: false,
      output: "echo did not finish within 5 s and was told to stop.",
    });
    await slow.told;
  });

  test("warns when a tool that was too slow may have had an effect", async () => {
    const { boxContext, clock } = context();
    const slow = endless();
    const box = toolBox([echo({ run: slow.run, effect: "local" })], boxContext);
    const result = box.call("echo", { words: "" }, never);
    await slow.started;
    await clock.advance(5000);
    assert.match((await result).output, /Part of what it does may have happened/);
  });

  test("does not run on after a tool has ended", async () => {
    const { boxContext, clock } = context();
    await toolBox([echo({ timeoutMs: Infinity })], boxContext).call("echo", { words: "" }, never);
    assert.equal(clock.pending(), 0);
  });

  test("spent waiting for permission is not the tool's", async () => {
    const { boxContext, clock } = context();
    const answer = Promise.withResolvers<Decision>();
    const box = toolBox([echo({ effect: "local" })], { ...boxContext, ask: () => answer.promise });
    const result = box.call("echo", { words: "hi" }, never);
    await clock.advance(60_000);
    answer.resolve({ choice: "once", why: "person" });
    assert.deepEqual(await result, { ok: true, output: "hi" });
  });
});

describe("Stop", () => {
  const interrupted = { ok: false, output: "interrupted" };

  test("ends a running tool at once and tells it", async () => {
    const stop = new AbortController();
    const slow = endless();
    const box = toolBox([echo({ run: slow.run })], context().boxContext);
    const result = box.call("echo", { words: "" }, stop.signal);
    await slow.started;
    stop.abort();
    assert.deepEqual(await result, interrupted);
    await slow.told;
  });

  test("is what counts when the tool breaks because of it", async () => {
    const stop = new AbortController();
    const run: Tool["run"] = async (_args, { signal }) => {
      stop.abort();
      signal.throwIfAborted();
      return { ok: true, output: "" };
    };
    const box = toolBox([echo({ run })], context().boxContext);
    assert.deepEqual(await box.call("echo", { words: "" }, stop.signal), interrupted);
  });

  test("before or while asking starts nothing", async () => {
    const stop = new AbortController();
    const { boxContext, asked } = context();
    let runs = 0;
    const tool = echo({ effect: "local", run: async () => ({ ok: true, output: `run ${(runs += 1)}` }) });
    const ask = async (): Promise<Decision> => {
      stop.abort();
      return { choice: "once", why: "person" };
    };
    const stopping = { ...boxContext, ask };
    assert.deepEqual(await toolBox([tool], stopping).call("echo", { words: "" }, stop.signal), interrupted);
    assert.deepEqual(await toolBox([tool], boxContext).call("echo", { words: "" }, stop.signal), interrupted);
    assert.equal(asked.length, 0);
    assert.equal(runs, 0);
  });
});

describe("permission", () => {
  test("is not asked for what has no side effect", async () => {
    const { asked, boxContext } = context();
    await toolBox([echo()], boxContext).call("echo", { words: "hi" }, never);
    assert.equal(asked.length, 0);
  });

  test("is asked for everything else, with the arguments that will be used", async () => {
    for (const effect of ["local", "external", "destructive"] as const) {
      const { asked, boxContext } = context();
      const result = await toolBox([echo({ effect })], boxContext).call("echo", { words: "hi" }, never);
      assert.equal(result.ok, true);
      assert.deepEqual(asked, [
        {
          tool: "echo",
          args: { words: "hi", times: 1 },
          cwd: "/repo",
          effect,
          action: { kind: "tool" },
          summary: 'echo {"times":1,"words":"hi"}',
        },
      ]);
    }
  });

  test("that is denied is explained by its true reason, and nothing runs", async () => {
    const reasons = {
      person: /the person said no/,
      policy: /a rule of this installation/,
      grant: /a rule that the person made/,
      timeout: /nobody answered in time/,
      not_asked: /nobody was there to ask/,
      withdrawn: /withdrawn/,
    } as const;
    for (const [why, sentence] of Object.entries(reasons)) {
      const { boxContext } = context({ choice: "deny", why: why as keyof typeof reasons });
      const box = toolBox([echo({ effect: "local", run: () => assert.fail("it ran") })], boxContext);
      const result = await box.call("echo", { words: "hi" }, never);
      assert.equal(result.ok, false);
      assert.match(result.output, /^echo was not run: /);
      assert.match(result.output, sentence);
    }
  });

  test("that is denied with a reason gives it, and still tells a person's No from any other", async () => {
    const answers = {
      person: /^echo was not run: the person said no: too risky\. Do not try/,
      policy: /^echo was not run: a rule of this installation does not allow it: too risky\.$/,
      not_asked: /^echo was not run: too risky\.$/,
      timeout: /^echo was not run: too risky\.$/,
    } as const;
    for (const [why, answer] of Object.entries(answers)) {
      const decision = { choice: "deny", why: why as keyof typeof answers, reason: "too risky" } as const;
      const box = toolBox([echo({ effect: "local" })], context(decision).boxContext);
      assert.match((await box.call("echo", { words: "hi" }, never)).output, answer);
    }
  });

  test("is asked for what the tool says the call would do, and what runs is what was asked about", async () => {
    const { asked, boxContext } = context();
    const about = {
      cwd: "/elsewhere",
      effect: "destructive",
      action: { kind: "command", command: "rm x", fence: "none" },
      summary: "remove x",
      reason: "it is old",
    } as const;
    const tool = echo({
      effect: "local",
      asks: async () => ({ ...about, run: async () => ({ ok: true, output: "as asked" }) }),
      run: () => assert.fail("the tool's own run was used"),
    });
    assert.deepEqual(await toolBox([tool], boxContext).call("echo", { words: "hi" }, never), {
      ok: true,
      output: "as asked",
    });
    assert.deepEqual(asked, [{ tool: "echo", args: { words: "hi", times: 1 }, ...about }]);
  });

  test("is not asked for a call that turns out to have no effect", async () => {
    const { asked, boxContext } = context();
    const harmless = { cwd: "/repo", effect: "none", action: { kind: "tool" }, summary: "look" } as const;
    const box = toolBox([echo({ effect: "local", asks: async () => harmless })], boxContext);
    assert.equal((await box.call("echo", { words: "hi" }, never)).ok, true);
    assert.equal(asked.length, 0);
  });

  test("is not asked for what the tool will not do, or cannot tell about", async () => {
    const { asked, boxContext, clock } = context();
    const answers = [
      [async () => ({ refused: "it is a folder." }), /^echo was not run: it is a folder\.$/],
      [() => Promise.reject(new Error("disk on fire")), /could not be worked out.*disk on fire/],
      [() => new Promise<never>(() => {}), /could not be worked out.*took too long/],
    ] as const;
    for (const [asks, answer] of answers) {
      const box = toolBox([echo({ effect: "local", asks, run: () => assert.fail("it ran") })], boxContext);
      const result = box.call("echo", { words: "hi" }, never);
      await clock.advance(5000);
      const { ok, output } = await result;
      assert.equal(ok, false);
      assert.match(output, answer);
    }
    assert.equal(asked.length, 0);
  });

  test("that could not be asked for is not given", async () => {
    const { boxContext } = context();
    const tool = echo({ effect: "local", run: () => assert.fail("it ran") });
    const broken = { ...boxContext, ask: () => Promise.reject(new Error("the store is gone")) };
    assert.deepEqual(await toolBox([tool], broken).call("echo", { words: "hi" }, never), {
      ok: false,
      output: "echo failed: the store is gone",
    });
  });
});

test("calls of tools that work in order wait for each other, questions included; others do not", async () => {
  const { boxContext } = context();
  const order: string[] = [];
  const answers: PromiseWithResolvers<Decision>[] = [];
  const ask: ToolContext["ask"] = ({ args }) => {
    order.push(`ask ${(args as { words: string }).words}`);
    const answer = Promise.withResolvers<Decision>();
    answers.push(answer);
    return answer.promise;
  };
  const run: Tool["run"] = async ({ words }) => {
    order.push(`run ${String(words)}`);
    return { ok: true, output: "" };
  };
  const box = toolBox(
    [echo({ effect: "local", inOrder: true, run }), echo({ name: "free", effect: "none", run })],
    { ...boxContext, ask },
  );
  const first = box.call("echo", { words: "1" }, never);
  const second = box.call("echo", { words: "2" }, never);
  for (; answers.length < 1; await Promise.resolve());
  await box.call("free", { words: "3" }, never);
  answers[0]?.resolve({ choice: "once", why: "person" });
  await first;
  for (; answers.length < 2; await Promise.resolve());
  answers[1]?.resolve({ choice: "deny", why: "person" });
  assert.equal((await second).ok, false);
  assert.deepEqual(order, ["ask 1", "run 3", "run 1", "ask 2"]);
});

test("two tools of one name, or a name that some protocol refuses, are a mistake of ours", () => {
  assert.throws(() => toolBox([echo(), echo()], context().boxContext), /two tools are called echo/);
  assert.throws(() => toolBox([echo({ name: "Echo.it" })], context().boxContext), /not a name/);
});
