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
    test("a turn that codex starts for a goal is stopped, is a turn in history, and no message joins it", patience, async () => {
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
    });
  });
