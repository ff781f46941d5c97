import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Envelope } from "../../../src/core/events.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { parseDemoScript } from "../../../src/models/demo/script.ts";
import { type DemoModel, startDemoModel } from "../../../src/models/demo/server.ts";
import { agentOnCodex } from "./agent-on-codex.ts";

const models = ["gpt-5.5", "gpt-6.1-sol"];
const patience = { timeout: 120_000 };

const scripted = (steps: readonly object[], otherwise: readonly object[]): Promise<DemoModel> =>
  startDemoModel({ clock: systemClock, script: parseDemoScript({ maxRequests: 40, steps, otherwise }) });

const isUnasked = (event: Envelope): boolean => event.type === "notice" && event.code === "unasked";

for (const model of models)
  describe(`what nobody asked codex for, ${model}`, () => {
    test(
      "a turn that codex starts for a goal is stopped, is a turn in history, and no message joins it",
      patience,
      async () => {
        const goal = 'await tools.create_goal({ objective: "count to ten" }); text("ok");';
        await using asked = await scripted(
          [
            {
              when: "set a goal",
              reply: [
                model === "gpt-5.5"
                  ? { call: { tool: "create_goal", args: { objective: "count to ten" } } }
                  : { custom: { tool: "exec", input: goal } },
              ],
            },
            { when: "set a goal", reply: [{ text: "The goal is set." }] },
            { when: "^hello$", reply: [{ text: "Hello yourself." }] },
          ],
          [{ hang: true }],
        );
        await using it = await agentOnCodex(asked.url, model);
        assert.equal((await it.turn("set a goal")).text, "The goal is set.");
        const said = await it.next(isUnasked);
        await it.next(({ type, turn }) => type === "ended" && turn === said.turn);
        const hello = await it.turn("hello");
        assert.deepEqual([hello.outcome, hello.text], ["done", "Hello yourself."]);
        const turns = await it.kept();
        assert.deepEqual(
          turns.slice(0, 3).map(({ surface, input, state }) => [surface, input, state]),
          [
            ["cli", "set a goal", "done"],
            [
              "codex",
              "Codex started a turn of its own, which nobody asked for. It was stopped.",
              "interrupted",
            ],
            ["cli", "hello", "done"],
          ],
        );
      },
    );

    test("a helper that codex starts is stopped, and is a turn in history", patience, async () => {
      const spawn =
        model === "gpt-5.5"
          ? [
              { when: "get help", reply: [{ search: { query: "spawn agent" } }] },
              {
                when: "get help",
                reply: [
                  { call: { tool: "spawn_agent", namespace: "multi_agent_v1", args: { message: "do it" } } },
                ],
              },
            ]
          : [
              {
                when: "get help",
                reply: [
                  {
                    call: {
                      tool: "spawn_agent",
                      namespace: "collaboration",
                      args: { task_name: "kid", message: "do it" },
                    },
                  },
                ],
              },
            ];
      await using asked = await scripted(
        [...spawn, { when: "get help", reply: [{ slow: { ms: 300 } }, { text: "Help is on its way." }] }],
        [{ hang: true }],
      );
      await using it = await agentOnCodex(asked.url, model);
      assert.equal((await it.turn("get help")).text, "Help is on its way.");
      const said = await it.next(isUnasked);
      await it.next(({ type, turn }) => type === "ended" && turn === said.turn);
      const [, helper] = await it.kept();
      assert.deepEqual(
        [helper?.surface, helper?.input, helper?.state],
        [
          "codex",
          "Codex started a helper of its own, which nobody asked for. It was stopped.",
          "interrupted",
        ],
      );
    });
  });

describe("what goes on after the end of its turn", () => {
  const script = `// @exec: {"yield_time_ms": 300}
for (let i = 0; i < 12; i += 1) await tools.exec_command({ cmd: "echo s" + i + " >> s.txt; sleep 0.4" });
text("done");`;

  test("a script does not go on in later turns, and each of its commands is a row", patience, async () => {
    await using asked = await scripted(
      [
        { when: "start", reply: [{ custom: { tool: "exec", input: script } }] },
        { when: "start", reply: [{ text: "It runs." }] },
        { when: "hello", reply: [{ text: "Hello." }] },
        { when: "wait", reply: [{ call: { tool: "exec_command", args: { cmd: "sleep 2" } } }] },
        { when: "wait", reply: [{ text: "Waited." }] },
      ],
      [{ text: "Nothing." }],
    );
    await using it = await agentOnCodex(asked.url, "gpt-6.1-sol");
    const first = await it.turn("start a script");
    assert.equal(first.text, "It runs.");
    const notices = it.events.flatMap((event) => (event.type === "notice" ? [event.code] : []));
    assert.ok(notices.includes("script_ended"), "that it was ended is said with the end of the turn");
    assert.equal((await it.turn("hello")).text, "Hello.");
    assert.equal((await it.turn("wait a little")).text, "Waited.");
    const ran = (await it.read("s.txt")).split("\n").filter(Boolean);
    const rows = (await it.kept()).flatMap(({ calls }) => calls.filter((call) => call.includes("s.txt")));
    assert.ok(ran.length >= 1 && ran.length <= 2, `it ran ${ran.length} commands`);
    for (const line of ran)
      assert.ok(
        rows.some((row) => row.includes(`echo ${line} `)),
        `${line} is a row`,
      );
  });
});
