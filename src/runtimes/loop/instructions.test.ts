import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { answers, loopWorld } from "./loop-world.suite.ts";
import { loopInstructions } from "./instructions.ts";

const all =
  "clarify memory patch process read_file search_files session_search skill_view terminal write_file".split(
    " ",
  );
const named = (text: string): readonly string[] =>
  all.filter((name) => new RegExp(`\\b${name}\\b`).test(text));

describe("the words of the loop", () => {
  test("take 900 tokens at most, and name every tool that they know", (t) => {
    const words = loopInstructions(new Set(all));
    t.diagnostic(`${words.length} characters, about ${Math.ceil(words.length / 4)} tokens`);
    assert.ok(words.length / 4 <= 900);
    assert.deepEqual(named(words), all);
  });

  test("are the same to the byte for the same tools, whatever their order and whatever else there is", () => {
    const words = loopInstructions(new Set(all));
    assert.equal(loopInstructions(new Set([...all, "mcp__x__y"].toReversed())), words);
    assert.equal(new Set(words.split("\n").filter((line) => line !== "")).size, words.split("\n").length - 3);
  });

  test("speak of no tool that is not there", () => {
    for (const gone of all) {
      const left = all.filter((name) => name !== gone);
      // `memory` is a word, too: only the tool's own sentence counts.
      if (gone === "memory") assert.doesNotMatch(loopInstructions(new Set(left)), /into memory/);
      if (gone !== "memory") assert.ok(!named(loopInstructions(new Set(left))).includes(gone), gone);
    }
    assert.match(loopInstructions(new Set()), /^How you work:\n- When something fails/);
  });

  test("stand before everything else in each request of a turn, and not in a side turn", async () => {
    const turn = { instructions: "You are X.", project: "Use tabs.", context: ["news"] };
    const world = loopWorld({ model: () => answers("ok"), words: (tools) => `[${[...tools].join()}]`, turn });
    const { requests } = await world.play();
    assert.equal(
      requests[0]?.instructions,
      "[t]\n\nYou are X.\n\nThe project says how to work in it:\n\nUse tabs.\n\nnews",
    );
    await Array.fromAsync(world.sideTurn() ?? []);
    assert.equal((await world.play()).requests[1]?.instructions.startsWith("You are X."), true);
  });
});
