import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { needle } from "./folded.ts";

describe("a text that is searched for", () => {
  test("is found whatever its case and spaces, as whole words", () => {
    const sought = needle("Uses  Tabs");
    for (const text of ["uses tabs", "He USES\n\ttabs.", "(uses tabs)", "ｕｓｅｓ tabs"])
      assert.ok(sought.isIn(text), text);
    for (const text of ["reuses tabs", "uses tabstops", "uses", ""]) assert.ok(!sought.isIn(text), text);
    assert.ok(!needle("ann").isIn("cannot"));
    assert.ok(needle("ann").isIn("Ann's dog"));
    assert.ok(needle("secret").isIn("my_secret"));
    assert.ok(!needle("ἀνήρ").isIn("ἀνήρα"));
  });

  test("is found inside where words have no spaces between them", () => {
    assert.ok(needle("東京").isIn("私は東京に住む"));
    assert.ok(needle("東京").isIn("x東京y"));
  });

  test("may begin on one line and end on another", () => {
    const text = "first\nmy mother is called\n\n  Ada Lovelace\nlast\nMy mother is called Ada Lovelace.";
    assert.deepEqual([...needle("mother is called Ada").linesOf(text)], [1, 2, 3, 5]);
    assert.deepEqual([...needle("last").linesOf(text)], [4]);
    assert.deepEqual([...needle("nobody").linesOf(text)], []);
  });

  test("lines without the ones it is on do not have it", () => {
    const word = fc.constantFrom("ada", "Bob", "x1", "東京", "-", "it's", "");
    const lines = fc.array(
      fc.array(word, { maxLength: 4 }).map((words) => words.join(" ")),
      { maxLength: 8 },
    );
    const wanted = fc.array(fc.constantFrom("ada", "bob", "x1", "東京"), { minLength: 1, maxLength: 2 });
    fc.assert(
      fc.property(lines, wanted, (all, words) => {
        const sought = needle(words.join(" "));
        const text = all.join("\n");
        const gone = sought.linesOf(text);
        assert.equal(gone.size > 0, sought.isIn(text));
        const once = all.filter((_line, at) => !gone.has(at));
        for (const line of once) assert.ok(!sought.isIn(line));
      }),
    );
  });
});
