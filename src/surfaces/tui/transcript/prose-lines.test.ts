import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../../test/seeded.ts";
import { proseChunks } from "./prose-chunks.ts";
import { proseLines } from "./prose-lines.ts";
import { makeTheme } from "../theme.ts";
import { setCapabilityOverrides } from "../toolkit.ts";
import { anyText, assertSafe, plain } from "./view-bench.suite.ts";

const shown = (text: string, width = 40, faint = false): readonly string[] => {
  const chunks = proseChunks();
  chunks.push(text);
  return proseLines(makeTheme(true))(chunks.chunks(), { width, faint });
};
const read = (text: string, width?: number): string => shown(text, width).map(plain).join("\n");

test("Markdown is laid out, with its own numbers and its code", () => {
  assert.equal(
    read("# Title\n\nSome **bold** words.\n\n3. three\n4. four\n\n```sh\nls -la\n```\nThe end."),
    "Title\n\nSome bold words.\n\n3. three\n4. four\n\n```sh\n  ls -la\n```\n\nThe end.",
  );
});

test("a link shows where it leads, and so does one that is written by reference", () => {
  setCapabilityOverrides({ hyperlinks: true });
  assert.equal(read("[our docs](https://evil.example)", 60), "our docs (https://evil.example)");
  assert.match(read("see [our docs][1]\n\n[1]: https://evil.example", 60), /\[1\]: https:\/\/evil\.example/);
});

test("no line of any text is a link that hides its target", () => {
  const rows = shown("[a](https://b.example) \u001B]8;;https://c.example\u001B\\d");
  assertSafe(rows, 40);
  assert.match(rows.map(plain).join(""), /b\.example.*c\.example/);
});

test("money stays money", () => {
  assert.equal(read("It costs $5_000 or $x^2$."), "It costs $5_000 or $x^2$.");
});

test("the same text is painted faint where it is not the answer", () => {
  assert.deepEqual(shown("words", 40, true), [makeTheme(true).faint("words")]);
  assert.deepEqual(shown("words", 40, false), ["words"]);
});

const heading = (): string => {
  throw new Error("broken");
};

test("what cannot be laid out is shown as it was written", () => {
  const theme = makeTheme(true);
  const chunks = proseChunks();
  chunks.push("# Title");
  const broken = proseLines({ ...theme, markdown: { ...theme.markdown, heading } });
  assert.deepEqual(broken(chunks.chunks(), { width: 40, faint: false }), ["# Title"]);
});

test("more marks than any person writes are shown as they were written", () => {
  assert.match(read("**a** ".repeat(300)), /^\*\*a\*\* /);
  assert.match(read("**a** ".repeat(20)), /^a a /);
});

const hostile: Readonly<Record<string, string>> = {
  "emphasis that never closes": "*a _b ".repeat(6_000),
  "brackets that never close": "[".repeat(20_000),
  "pictures in pictures": "![a](".repeat(6_000),
  "quotes in quotes": ">".repeat(20_000),
  "lists in lists on one line": "1. ".repeat(6_000),
  "lists in lists, 500 deep": Array.from({ length: 500 }, (_, at) => `${"  ".repeat(at)}- x`).join("\n"),
  "a table of 2,000 columns": `${"|a".repeat(2_000)}|\n${"|-".repeat(2_000)}|\n`,
  "a table of 2,000 rows": `|a|b|\n|-|-|\n${"|x|y|\n".repeat(2_000)}`,
  "a fence that never closes": `\`\`\`\n${"code\n".repeat(4_000)}`,
  "HTML that never closes": "<div ".repeat(6_000),
  "comments that never close": "<!--".repeat(6_000),
  backticks: "`a``b".repeat(5_000),
  stars: "*".repeat(20_000),
  "carriage returns": "\r".repeat(20_000),
};
for (const [name, text] of Object.entries(hostile)) {
  test(`a model cannot stop the screen with ${name}`, { timeout: 20_000 }, () => {
    assertSafe(shown(text, 80), 80);
  });
}

test("any Markdown fits, and nothing in it steers the terminal", () => {
  const mark = fc.constantFrom(
    "*",
    "_",
    "`",
    "```",
    "\n",
    "\n\n",
    "- ",
    "1. ",
    "> ",
    "|",
    "|-|",
    "# ",
    "[a](b)",
    "<",
    "&",
    "~~",
  );
  const word = fc.oneof(mark, anyText(5), fc.constantFrom("漢字", "👩‍👩‍👧", "é", "\u001B[31m"));
  fc.assert(
    fc.property(fc.array(word, { maxLength: 40 }), fc.integer({ min: 1, max: 120 }), (words, width) => {
      assertSafe(shown(words.join(""), width), width);
    }),
    { numRuns: 60 },
  );
});
