import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import {
  entriesOf,
  joinedLength,
  textsOf,
  unwritable,
  withAdded,
  withInserted,
  withRemoved,
  withReplaced,
} from "./entries.ts";

const entry = fc
  .string({ unit: fc.constantFrom("a", "ü", "事", "😀", " ", "\n", "-", "#", "§", "(") })
  .map((text) => text.trim())
  .filter((text) => text !== "" && !/^[ \t]*§[ \t]*$/m.test(text));
const blank = fc.constantFrom("", " ", "\n", "\n\n", "  \n");

/** A file as people leave it: more or less blank space around entries, entries that are empty, a heading. */
const file = fc
  .tuple(fc.constantFrom("", "<!-- Project: /w -->\n"), fc.array(fc.tuple(blank, entry, blank)), blank)
  .map(([head, all, end]) => head + all.map((parts) => parts.join("")).join("\n§\n") + end);

test("only what is touched changes: a new entry can be taken away to the byte, and the others stay", () => {
  fc.assert(
    fc.property(file, entry, fc.nat(), (text, fresh, fixture) => {
      const known = textsOf(text);
      const added = withAdded(text, fresh);
      assert.deepEqual(textsOf(added), [...known, fresh]);
      const { entries } = entriesOf(text);
      const at = entries.length === 0 ? 0 : fixture % entries.length;
      const inserted = withInserted(text, at, fresh);
      assert.deepEqual(textsOf(inserted), known.toSpliced(at, 0, fresh));
      if (entries.length === 0) return;
      assert.equal(withRemoved(added, entriesOf(added).entries.at(-1)!), text);
      assert.equal(withRemoved(inserted, entriesOf(inserted).entries[at]!), text);
      assert.deepEqual(textsOf(withRemoved(text, entries[at]!)), known.toSpliced(at, 1));
      const replaced = withReplaced(text, entries[at]!, fresh);
      assert.deepEqual(textsOf(replaced), known.toSpliced(at, 1, fresh));
      assert.equal(withReplaced(replaced, entriesOf(replaced).entries[at]!, known[at]!), text);
    }),
    { numRuns: 300 },
  );
});

test("a file that follows the format is its entries, joined, to the byte", () => {
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1 }), (texts) => {
      const made = texts.reduce<string | undefined>((now, text) => withAdded(now, text), undefined);
      assert.equal(made, `${texts.join("\n§\n")}\n`);
      assert.equal(joinedLength(textsOf(made)), [...texts.join("\n§\n")].length);
    }),
  );
});

test("lines that end as on Windows stay so", () => {
  const text = "one\r\nline\r\n§\r\ntwo\r\n";
  assert.equal(withAdded(text, "three\nlines"), `${text}§\r\nthree\r\nlines\r\n`);
  assert.deepEqual(textsOf(text), ["one\nline", "two"], "and are found by whoever writes others");
  const [first] = entriesOf(text).entries;
  assert.equal(withReplaced(text, first!, "a\nb"), "a\r\nb\r\n§\r\ntwo\r\n");
  assert.equal(withInserted(text, 0, "a\nb"), `a\r\nb\r\n§\r\n${text}`);
});

test("a paragraph sign within a line is part of the entry", () => {
  assert.deepEqual(textsOf("see § 5\n§ 6 too\n§\nmore"), ["see § 5\n§ 6 too", "more"]);
});

test("a file of any size, with whatever it begins, is taken apart", () => {
  const long = "a".repeat(5_000_000);
  assert.deepEqual(textsOf(`<!--${long}-->\nuses tabs`), ["uses tabs"]);
  assert.equal(joinedLength(textsOf(`<!--${long}😀`)), 5_000_005);
});

test("a file that a change would damage is known", () => {
  for (const text of ["a\u0000b", "a\rb", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n"])
    assert.ok(unwritable(text));
  for (const text of ["", "a\r\nb", "a\tb", "\uFEFFa"]) assert.equal(unwritable(text), undefined);
});
