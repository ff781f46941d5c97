import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { project, startProjection } from "../../transcript/projector.ts";
import type { InputPart } from "../../core/messages.ts";
import type { Steered } from "../runtime.ts";
import { answers, calls, loopWorld, plainTurn, results } from "./loop-world.suite.ts";

const words = (text: string): readonly InputPart[] => [{ type: "text", text }];
const oneByOne = (at: number): string => JSON.stringify({ at });

describe("a turn's tool calls", () => {
  test("are 100 at most; then the model sums up without tools, and the turn is done", async () => {
    const { play } = loopWorld({
      model: (request, at) => (request.tools.length === 0 ? answers("So far.") : calls(oneByOne(at))),
    });
    const { ended, requests, notices } = await play();
    assert.deepEqual([ended.outcome, ended.text, ended.calls], ["done", "So far.", 100]);
    assert.equal(requests.length, 101);
    assert.match(results(requests[100]).at(-1) ?? "", /^fine\n\n\[Talaria: the 100 tool calls/);
    assert.equal(notices.length, 1);
    assert.match(notices[0] ?? "", /^call_limit: /);
  });

  test("beyond the limit are answered and not run", async () => {
    let ran = 0;
    const { play } = loopWorld({
      tool: () => {
        ran += 1;
        return { ok: true, output: String(ran) };
      },
      model: (request, at) =>
        request.tools.length === 0
          ? answers("ok")
          : calls(...Array.from({ length: 60 }, (_, call) => oneByOne(at * 60 + call))),
    });
    const { items, ended } = await play();
    assert.deepEqual([ran, items.length, ended.calls], [100, 121, 120]);
    const refused = items.filter((item) => item.kind === "call" && !item.ok);
    assert.equal(refused.length, 20);
    for (const item of refused) assert.ok(item.kind === "call" && item.output.startsWith("This was not run"));
  });

  test("may come a thousand at once: each has its answer, and 100 run", async () => {
    let ran = 0;
    const { play } = loopWorld({
      tool: () => ({ ok: true, output: String((ran += 1)) }),
      model: (_request, at) =>
        at === 0 ? calls(...Array.from({ length: 1000 }, (_, call) => oneByOne(call))) : answers("oh"),
    });
    const { ended, requests } = await play();
    assert.deepEqual(
      [ran, ended.outcome, requests[1]?.tools, results(requests[1]).length],
      [100, "done", [], 1000],
    );
  });

  test("whose arguments are too long are answered and not run, and only their beginning is kept", async () => {
    let ran = 0;
    const { play } = loopWorld({
      tool: () => {
        ran += 1;
        return { ok: true, output: "" };
      },
      model: (_request, at) => (at === 0 ? calls(`{"a":"${"x".repeat(10 << 20)}"}`) : answers("sorry")),
    });
    const { items, requests, ended } = await play();
    const [call] = items;
    assert.ok(call?.kind === "call" && !call.ok);
    assert.match(call.output, /t was not run: its arguments have 10485768 characters/);
    assert.ok(JSON.stringify(call).length < 1000);
    assert.ok(JSON.stringify(requests[1]).length < 2000);
    assert.deepEqual([ran, ended.outcome], [0, "done"]);
  });

  test("go back to the model in the bytes that its next turn will find in the history", async () => {
    const { play } = loopWorld({
      model: (_request, at) => (at === 0 ? calls('{ "b": 1, "a": 2 }', "{broken") : answers("ok")),
    });
    const { events, requests } = await play();
    let state = startProjection();
    const rows = events.flatMap((event) => {
      const [next, made] = project(state, event);
      state = next;
      return made;
    });
    const kept = rows.flatMap((row) => (row.role === "assistant" ? (row.toolCalls ?? []) : []));
    const [, said] = requests[1]?.messages ?? [];
    assert.ok(said?.role === "assistant");
    assert.deepEqual(said.toolCalls, kept);
    assert.deepEqual(
      kept.map((call) => call.arguments),
      ['{"a":2,"b":1}', '"{broken"'],
    );
  });
});

describe("a model that goes in circles", () => {
  test("is told so from the third same result on, and may go on", async () => {
    const { play } = loopWorld({ model: (_request, at) => (at < 6 ? calls("{}") : answers("enough")) });
    const { ended, requests } = await play();
    assert.equal(ended.text, "enough");
    const told = results(requests[6]).map((text) => /\[Talaria: .* (\d) times/.exec(text)?.[1]);
    assert.deepEqual(told, [undefined, undefined, "3", "4", "5", "6"]);
  });

  test("is stopped when the same call fails in the same way five times", async () => {
    const { play } = loopWorld({
      tool: () => ({ ok: false, output: "no such file" }),
      model: () => calls("{}"),
    });
    const { ended, requests } = await play();
    assert.equal(requests.length, 5);
    assert.partialDeepStrictEqual(ended, { outcome: "failed", calls: 5, fault: { code: "refused" } });
    assert.match(ended.fault?.message ?? "", /called t 5 times in the same way/);
  });

  test("is not stopped when something works in between, or when each failure is another one", async () => {
    const between = loopWorld({
      tool: (_name, args) => ({ ok: JSON.stringify(args) !== "{}", output: "" }),
      model: (_request, at) => (at < 20 ? calls(at % 2 === 0 ? "{}" : oneByOne(at)) : answers("there")),
    });
    assert.equal((await between.play()).ended.text, "there");
    let times = 0;
    const different = loopWorld({
      tool: () => ({ ok: false, output: String((times += 1)) }),
      model: (_request, at) => (at < 20 ? calls("{}") : answers("there")),
    });
    assert.equal((await different.play()).ended.text, "there");
  });

  test("has to see a result before the same call counts again", async () => {
    const { play } = loopWorld({
      tool: () => ({ ok: false, output: "no" }),
      model: (_request, at) => (at === 0 ? calls(...Array<string>(8).fill("{}")) : answers("I see")),
    });
    const { ended, requests } = await play();
    assert.equal(ended.text, "I see");
    assert.deepEqual(new Set(results(requests[1])), new Set(["no"]));
  });
});

describe("what is said into a running turn", () => {
  test("is given to the model below the last result of the calls that run, and is no part of that result", async () => {
    const said: Steered[] = [];
    const { play } = loopWorld({
      async tool(_name, args, runtime) {
        if (JSON.stringify(args) === "1") said.push(await runtime.steer(plainTurn.id, words("be kind")));
        return { ok: true, output: `result ${JSON.stringify(args)}` };
      },
      model: (_request, at) => (at === 0 ? calls("1", "2") : answers("kindly")),
    });
    const { items, requests } = await play();
    assert.deepEqual(said, ["taken"]);
    assert.deepEqual(results(requests[1]), [
      "result 1",
      "result 2\n\n[The person you work for says meanwhile:]\nbe kind",
    ]);
    assert.deepEqual(
      items.flatMap((item) => (item.kind === "call" ? [item.output] : [])),
      ["result 1", "result 2"],
    );
    assert.ok(requests[1]?.messages.filter(({ role }) => role === "user").length === 1);
  });

  test("is refused while no tool runs, and when it is more than words", async () => {
    const said: Steered[] = [];
    const world = loopWorld({
      async tool(_name, _args, runtime) {
        const image = { type: "image", name: "a", mediaType: "image/png", base64: "" } as const;
        said.push(await runtime.steer(plainTurn.id, [image]));
        return { ok: true, output: "" };
      },
      model: (_request, at) => (at === 0 ? calls("{}") : answers("ok")),
    });
    const ended: Steered[] = [await world.runtime.steer(plainTurn.id, words("early"))];
    await world.play();
    ended.push(await world.runtime.steer(plainTurn.id, words("late")));
    assert.deepEqual([said, ended], [["refused"], ["refused", "refused"]]);
  });

  test("is refused once the last result is on its way", async () => {
    const { runtime, ports } = loopWorld({
      model: (_request, at) => (at === 0 ? calls("{}") : answers("ok")),
    });
    const said: Steered[] = [];
    for await (const event of runtime.run(plainTurn, ports)) {
      if (event.type === "item") said.push(await runtime.steer(plainTurn.id, words("x")));
    }
    assert.deepEqual(said, ["refused", "refused"]);
  });
});

describe("a turn that another runtime has begun", () => {
  test("goes on after what that one has done", async () => {
    const begun = [
      { role: "assistant", content: "", toolCalls: [{ id: "x", name: "exec", arguments: "{}" }] },
      { role: "tool", toolCallId: "x", content: "owl" },
    ] as const;
    const { play } = loopWorld({
      turn: { doneElsewhere: begun, context: ["codex began"] },
      model: () => answers("owl"),
    });
    const { requests } = await play();
    assert.deepEqual(requests[0]?.messages, [{ role: "user", content: "go" }, ...begun]);
    assert.equal(requests[0]?.instructions, "codex began");
  });
});

describe("an answer that its provider ended early", () => {
  const early = { code: "refused", message: "It ended early (max_output_tokens).", next: "Go on." } as const;
  const model = () => [
    { type: "item", item: { kind: "text", item: 0, text: "so far" } } as const,
    { type: "completed", skipped: 0, early } as const,
  ];

  test("is one: the turn is done, and the reason is told", async () => {
    const { ended, notices } = await loopWorld({ model }).play();
    assert.deepEqual([ended.outcome, ended.text, ended.fault], ["done", "so far", undefined]);
    assert.deepEqual(notices, ["answer_cut: It ended early (max_output_tokens). Go on."]);
  });

  test("is none where a program waits for JSON", async () => {
    const { ended } = await loopWorld({ model, turn: { outputSchema: { type: "object" } } }).play();
    assert.deepEqual([ended.outcome, ended.text, ended.fault], ["failed", "so far", early]);
  });
});
