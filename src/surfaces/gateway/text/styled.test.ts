import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { clean } from "../../../core/plain-text.ts";
import * as fc from "../../../../test/seeded.ts";
import { anyText, assertWellMade } from "./texts.suite.ts";
import { plainOf } from "./span.ts";
import { styledOf } from "./styled.ts";

/** The text with its spans in brackets, outer ones outside. */
function shown(markdown: string): string {
  const { text, spans } = styledOf(markdown);
  const opens = spans.map(({ start, style, url, language }) => ({
    at: start,
    text: `{${url ?? language ?? style}:`,
  }));
  const closes = spans.map(({ end }) => ({ at: end, text: "}" }));
  let result = "";
  for (let at = 0; at <= text.length; at += 1) {
    result += closes
      .filter((mark) => mark.at === at)
      .map((mark) => mark.text)
      .join("");
    result += opens
      .filter((mark) => mark.at === at)
      .map((mark) => mark.text)
      .join("");
    result += text[at] ?? "";
  }
  return result;
}

const rows: readonly (readonly [what: string, markdown: string, expected: string])[] = [
  ["headings are bold", "# One *two*\n\nthree", "{bold:One {italic:two}}\n\nthree"],
  ["styles nest", "**a _b ~~c~~_** `d*e*`", "{bold:a {italic:b {strike:c}}} {code:d*e*}"],
  ["a style in itself is one", "**a **b** c**", "{bold:a b c}"],
  ["lists have their signs", "- a\n- b\n  - c\n    d\n\n3. x\n4. y", "• a\n• b\n  • c\n    d\n\n3. x\n4. y"],
  ["tasks have boxes", "- [ ] a\n- [x] b", "• ☐ a\n• ☑ b"],
  ["code keeps its language and every blank", "```ts\n  a\n\n   b\n```", "{ts:  a\n\n   b}"],
  ["code in a list starts its own line", "- ```\n  x\n  ```", "• \n{pre:x}"],
  ["words behind a fence are not lost", "```not a language at all\nx\n```", "not a language at all\n{not:x}"],
  ["quotations in one another have a sign", "> a\n> > b\n> > c", "{quote:a\n\n> b\n> c}"],
  ["tables are lines of equal width", "|a|b|\n|--|-:|\n|漢字|1|", "{pre:a    │ b\n─────┼──\n漢字 │ 1}"],
  ["cells that the head has no room for are shown", "|a|\n|-|\n|b|c|", "{pre:|a|\n|-|\n|b|c|}"],
  ["links have their address", '[a](https://x.example/1 "t")', "{https://x.example/1:a} (t)"],
  ["an image is a link", "![alt](https://x.example/i.png)", "{https://x.example/i.png:alt}"],
  [
    "an image without words shows its address",
    "![](https://x.example/i)",
    "{https://x.example/i:https://x.example/i}",
  ],
  [
    "an image in a link keeps both addresses",
    "[![a](https://i.example)](https://x.example)",
    "{https://x.example:a (https://i.example)}",
  ],
  [
    "what leads nowhere in a chat is shown",
    "[a](src/a.ts) [b](javascript:x)",
    "a (src/a.ts) b (javascript:x)",
  ],
  ["mail addresses stay as they are", "a@b.example", "a@b.example"],
  [
    "used definitions are hidden, others not",
    "[a][1]\n\n[1]: https://x.example\n[2]: https://y.example",
    "{https://x.example:a}\n\n[2]: https://y.example",
  ],
  [
    "a definition that comes twice is shown",
    "[a][1]\n\n[1]: https://x.example\n\n[1]: https://y.example",
    "{https://x.example:a}\n\n{https://x.example:1}: {https://y.example:https://y.example}",
  ],
  [
    "HTML is text, and its entities are letters",
    "<b>a</b> &lt;&#65;&#x42;&nope; `&lt;`",
    "<b>a</b> <AB&nope; {code:&lt;}",
  ],
  ["a break is a line", "a<br>b  \nc", "a\nb\nc"],
  [
    "nothing steers a screen",
    "a\u001B[2J\u202Eb&#27;&#0;\uD800\r\nc",
    "a\uFFFD[2J\uFFFDb\uFFFD\uFFFD\uFFFD\nc",
  ],
];

describe("styled text", () => {
  for (const [what, markdown, expected] of rows) {
    test(what, () => assert.equal(shown(markdown), expected));
  }

  test("plain words have the addresses of links that do not show theirs", () => {
    assert.equal(
      plainOf(styledOf("see [a](https://x.example) and https://y.example")),
      "see a (https://x.example) and https://y.example",
    );
  });

  test("any text becomes well-formed text with well-made spans", () => {
    fc.assert(
      fc.property(anyText, (markdown) => {
        const styled = styledOf(markdown);
        assertWellMade(styled);
        assert.ok(styled.text.isWellFormed());
        assert.equal(clean(styled.text), styled.text);
      }),
      { numRuns: 300 },
    );
  });

  test("no word is lost, however the signs around it stand", () => {
    const sign = fc.constantFrom(
      ..."* ** _ ~~ ` ``` [ ] ( ) ![ < > | \n \n\n # - 1. + : = \\ / \" ' ! : --- |-|-| \t".split(" "),
      " ",
      "\n",
      "](https://x.example/",
      "\n    ",
      "[1]: ",
      "\n> ",
      "<br>",
      "<div>",
      "\n\n```js\n",
    );
    fc.assert(
      fc.property(fc.array(sign, { maxLength: 40, size: "max" }), (signs) => {
        const markdown = signs.map((each, at) => `${each}w${at}x`).join("");
        const { text, spans } = styledOf(markdown);
        const all = [text, ...spans.map(({ url = "", language = "" }) => `${url} ${language}`)].join(" ");
        for (const at of signs.keys())
          assert.ok(all.includes(`w${at}x`), `w${at}x of ${JSON.stringify(markdown)}`);
      }),
      { numRuns: 3_000 },
    );
  });

  test("what would take the parser minutes, or all of its stack, is read as well", () => {
    const hostile = [
      ">",
      "> ",
      "[a](",
      "*a ",
      "_a ",
      "1. ",
      "~~a~",
      "a.b-c_",
      "*a*b_c_",
      "[",
      "![",
      "`",
      "<",
      "|",
    ];
    for (const unit of hostile) {
      const text = unit.repeat(20_000 / unit.length);
      assert.ok(styledOf(`${text}END`).text.endsWith("END"), unit);
    }
    const table = `${"|a".repeat(3_000)}|\n${"|-".repeat(3_000)}|\n${"b\n".repeat(3_000)}`;
    assert.ok(styledOf(table).text.length < 2 * table.length);
  });
});
