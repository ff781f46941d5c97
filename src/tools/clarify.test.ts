import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fakeClock } from "../../test/fakes/fake-clock.ts";
import type { Answers, Form } from "../core/asking.ts";
import { asId } from "../core/ids.ts";
import { clarifyTool } from "./clarify.ts";
import { toolBox } from "./registry.ts";
import { ownersTurn } from "../../test/owners-turn.ts";

function asked(answer: Answers | undefined) {
  const forms: Form[] = [];
  const box = toolBox([clarifyTool], {
    session: asId<"ses">("ses_1"),
    turn: asId<"trn">("trn_1"),
    ...ownersTurn,
    cwd: "/repo",
    clock: fakeClock(),
    ask: () => assert.fail("a question for information asked for permission"),
    async inquire(form) {
      forms.push(form);
      return answer;
    },
  });
  const clarify = (args: unknown) => box.call("clarify", args, new AbortController().signal);
  return { clarify, forms, box };
}

describe("clarify", () => {
  test("the person sees the question with its choices, each once, and their words come back", async () => {
    const { clarify, forms } = asked({ answer: " the blue one " });
    const result = await clarify({ question: "Which?", choices: ["red", "blue", "red"] });
    assert.deepEqual(result, { ok: true, output: "the blue one" });
    assert.deepEqual(forms, [
      {
        title: "The agent asks",
        fields: [{ name: "answer", label: "Which?", options: ["red", "blue"] }],
      },
    ]);
  });

  for (const [name, answer] of [
    ["nobody", undefined],
    ["an empty answer", { answer: "  " }],
  ] as const) {
    test(`${name} is told to the model as no answer, with how to go on`, async () => {
      const { ok, output } = await asked(answer).clarify({ question: "Which?" });
      assert.equal(ok, false);
      assert.match(output, /say which assumption you made/);
    });
  }

  test("it runs alone, and an empty question is not asked", async () => {
    const { clarify, forms, box } = asked({ answer: "x" });
    assert.equal(box.specs[0]?.interactive, true);
    assert.equal((await clarify({ question: " " })).ok, false);
    assert.deepEqual(forms, []);
  });
});
