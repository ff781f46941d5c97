import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { asId } from "../../../core/ids.ts";
import { viewBench } from "../transcript/view-bench.suite.ts";
import { typedInputs } from "./typed-inputs.ts";

const never = new Promise<null>(() => {});

function bench() {
  const { view, say, text } = viewBench();
  const inputs = typedInputs(
    view,
    () => {},
    () => {},
  );
  const answer = (words: string) =>
    say({ type: "item", item: { id: asId(words), kind: "text", text: words, phase: "answer" } });
  return { inputs, answer, text };
}

describe("a typed word", () => {
  test("stands below what others say until its turn has begun", () => {
    const { inputs, answer, text } = bench();
    inputs.add("1", "mine", [], "sending");
    assert.equal(text(), "\n› mine");
    answer("theirs, which ended at the same moment");
    inputs.sent("1", "running", () => never);
    assert.equal(text(), "\ntheirs, which ended at the same moment\n\n› mine");
    inputs.turnBegan();
    answer("for me");
    assert.equal(text(), "\ntheirs, which ended at the same moment\n\n› mine\n\nfor me");
  });

  test("that has to wait after all says so, but not once its turn runs", () => {
    const { inputs, text } = bench();
    inputs.add("1", "first", [], "sending");
    inputs.add("2", "second", [], "sending");
    inputs.turnBegan();
    inputs.sent("1", "queued", () => never);
    inputs.sent("2", "queued", () => never);
    assert.equal(text(), "\n› first\n\n› second\n  queued, runs after this turn");
    assert.equal(inputs.queued(), 1);
  });

  test("that was known already, or whose turn nobody told of, does not wait for ever", async () => {
    const { inputs, answer, text } = bench();
    inputs.add("1", "known", [], "sending");
    inputs.sent("1", "duplicate", () => never);
    inputs.add("2", "over", [], "sending");
    const ended = { v: 1, seq: 1, session: asId<"ses">("s"), turn: asId<"trn">("t") } as const;
    inputs.sent("2", "running", async () => ({
      ...ended,
      type: "ended",
      outcome: "done",
      text: "",
      calls: 0,
    }));
    await new Promise((resolve) => setImmediate(resolve));
    answer("later");
    assert.equal(text(), "\n› known\n\n› over\n\nlater");
    assert.equal(inputs.count(), 0);
  });
});
