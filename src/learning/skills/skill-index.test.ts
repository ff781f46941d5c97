import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { skillIndex } from "./skill-index.ts";

const skill = (name: string, also: object = {}) => ({
  name,
  description: `Does ${name}`,
  modified: 0,
  ...also,
});

describe("the index of skills", () => {
  test("has the most used first, then those saved last, and none that is not offered", () => {
    const skills = [
      skill("old"),
      skill("new", { modified: 5 }),
      skill("used"),
      skill("most"),
      skill("mac", { withheld: "it is for macos" }),
    ];
    const uses = [
      { name: "used", uses: 1 },
      { name: "most", uses: 9 },
      { name: "mac", uses: 99 },
    ];
    const [heading, , ...lines] = skillIndex(skills, uses).split("\n");
    assert.equal(heading, "## Skills");
    assert.deepEqual(lines, ["- most: Does most", "- used: Does used", "- new: Does new", "- old: Does old"]);
    assert.equal(skillIndex([], []), "");
    assert.equal(skillIndex([skill("mac", { withheld: "x" })], []), "");
  });

  test("of a hundred skills takes 3 KiB at most, and says how many are missing", () => {
    const skills = Array.from({ length: 100 }, (_, at) =>
      skill(`skill-${at}`, { description: "words ".repeat(100), modified: at }),
    );
    const text = skillIndex(skills, []);
    const lines = text.split("\n");
    assert.ok(Buffer.byteLength(text) <= 3072, `${Buffer.byteLength(text)}`);
    assert.ok(Buffer.byteLength(text) > 2800, "and uses the room");
    assert.equal(lines.at(-1), `${100 - (lines.length - 3)} more: skills_list`);
  });

  test("leaves out what a description should not say", () => {
    const text = skillIndex([skill("bad")], [], 3072, () => "[left out]");
    assert.equal(text.split("\n").at(-1), "- bad: [left out]");
  });

  test("keeps its limit in bytes with any names, texts and limits", () => {
    const skills = fc.array(
      fc.record({
        name: fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,63}$/),
        description: fc.string({ unit: "grapheme", maxLength: 300 }),
        modified: fc.nat(),
      }),
      { maxLength: 120 },
    );
    fc.assert(
      fc.property(skills, fc.integer({ min: 200, max: 4000 }), (some, limit) => {
        const text = skillIndex(some, [], limit);
        assert.ok(Buffer.byteLength(text) <= limit);
        for (const line of text.split("\n")) assert.ok([...line].length <= 120, line);
        const missing = Number(/^(\d+) more: skills_list$/.exec(text.split("\n").at(-1) ?? "")?.[1] ?? 0);
        const shown = text.split("\n").filter((line) => line.startsWith("- ")).length;
        assert.equal(shown + missing, some.length);
      }),
      { numRuns: 200 },
    );
  });
});
