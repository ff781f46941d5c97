import assert from "node:assert/strict";
import { test } from "node:test";
import { asPosted, isTooLongForEdit, whyRefused } from "../../../../test/fakes/slack/message-limits.ts";
import type { Block } from "../../../../test/fakes/slack/world.ts";
import * as fc from "../../../../test/seeded.ts";
import type { Button, Part } from "../../../core/gateway/chat.ts";
import { styledOf } from "../text/styled.ts";
import { anyText } from "../text/texts.suite.ts";
import { mrkdwn } from "./mrkdwn.ts";
import { composed, renderAsQuestion, renderParts } from "./render.ts";
import { sectionLimit, sectionsOf } from "./sections.ts";

test("Markdown looks in Slack as it was meant", () => {
  const texts: readonly (readonly [string, string])[] = [
    ["**bold** *italic* ~~gone~~ `code`", "*bold* _italic_ ~gone~ `code`"],
    ["***both***", "*_both_*"],
    ["a & b < c > d", "a &amp; b &lt; c &gt; d"],
    ["[page](https://x.org/?a=1&b=2)", "<https://x.org/?a=1&amp;b=2|page>"],
    ["<https://x.org>", "<https://x.org>"],
    ["[**page**](https://x.org/a|b)", "<https://x.org/a%7Cb|page>"],
    ["**[page](https://x.org)**", "*<https://x.org|page>*"],
    ["in**word**s", "in\u200B*word*\u200Bs"],
    ["你**好**吗", "你\u200B*好*\u200B吗"],
    ["(**a**), **b**.", "(*a*), *b*."],
    ["```js\nif (a < b) `x`;\n```", "```\nif (a &lt; b) `x`;\n```"],
    ["before\n\n```\ncode\n```\n\nafter", "before\n\n```\ncode\n```\n\nafter"],
    ["````\n```\ninner\n```\n````", "```\n`\u200B`\u200B`\ninner\n`\u200B`\u200B`\n```"],
    ["`` a`b ``", "`aˋb`"],
    ["> one\n> two\n\nthree", "> one\n> two\n\nthree"],
  ];
  for (const [markdown, shown] of texts) assert.equal(mrkdwn(styledOf(markdown)), shown, markdown);
});

test("nothing in a text can call a channel, name somebody or be a link by itself", () => {
  for (const text of [
    "<!channel>",
    "<!here|x>",
    "<@U1>",
    "<#C1>",
    "<https://x.org|trust me>",
    "`<!channel>`",
  ]) {
    const shown = mrkdwn({ text, spans: [] });
    assert.ok(!/[<>]/.test(shown), shown);
  }
  fc.assert(
    fc.property(anyText, (text) => {
      const links = mrkdwn(styledOf(text)).matchAll(/<([^>]*)>/g);
      for (const [, inside = ""] of links) assert.match(inside, /^(?:https?|mailto|tel):/i);
    }),
    { numRuns: 100 },
  );
});

test("B2.20, B3: whatever is said, each part is within what Slack takes, when it is posted and when it is changed", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      for (const part of renderParts(text)) {
        assert.ok(typeof part.body === "string" && part.body.length <= 4000);
        assertTaken(part, false);
        assertTaken(part, true);
        assertTaken({ ...part, buttons: [[{ label: "OK", data: "x" }]] }, false);
      }
    }),
    { numRuns: 150 },
  );
});

const button: fc.Arbitrary<Button> = fc.record({
  label: fc.string({ unit: "grapheme", maxLength: 120 }),
  data: fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 64 }),
});
const rows = fc.oneof(
  { weight: 8, arbitrary: fc.array(fc.array(button, { minLength: 1, maxLength: 4 }), { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.array(fc.array(button, { minLength: 1, maxLength: 30 }), { maxLength: 3 }) },
);

test("B2.20, B3: a question of any length is one message with all its buttons, and says whether it was cut", () => {
  fc.assert(
    fc.property(anyText, rows, (text, buttons) => {
      const { part, isCut } = renderAsQuestion(text, buttons);
      assertTaken(part, false);
      assertTaken(part, true);
      const { blocks } = composed(part, false);
      const shown = (blocks as unknown as readonly Block[]).flatMap(({ elements = [] }) => elements);
      assert.deepEqual(
        shown.map(({ value }) => value),
        buttons.flat().map(({ data }) => data),
      );
      if (isCut) assert.ok(String(part.body).endsWith("\n[…]"));
      if (!isCut) assert.equal(letters(String(part.body)), letters(mrkdwn(styledOf(text))));
    }),
    { numRuns: 150 },
  );
});

function assertTaken(part: Part, isEdit: boolean): void {
  const { text, blocks } = composed(part, isEdit);
  assert.equal(whyRefused(text, blocks as unknown as readonly Block[]), undefined);
  assert.equal(asPosted(text), text);
  if (isEdit) assert.ok(!isTooLongForEdit(text));
  for (const said of [text, JSON.stringify(blocks)]) assert.ok(said.isWellFormed());
}

test("an edit of more than 4,000 bytes goes as blocks, because Slack would refuse it as text", () => {
  const [part] = renderParts("漢".repeat(3900));
  assert.ok(part);
  assert.equal(composed(part, false).blocks.length, 0);
  assert.equal(composed(part, true).blocks.length, 2);
});

const letters = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]/gu, "");

test("no word is lost when an answer is cut into parts", () => {
  const words = fc.array(
    fc.constantFrom("word ", "漢字", "**bold** ", "`code` ", "\n\n", "a&b ", "נ ", "```\nx<y\n```\n", "👍🏽 "),
    {
      minLength: 1,
      maxLength: 3000,
      size: "max",
    },
  );
  fc.assert(
    fc.property(words, (pieces) => {
      const text = pieces.join("");
      const parts = renderParts(text).map(({ body }) => String(body).replaceAll(/&(?:amp|lt|gt);/g, ""));
      const whole = mrkdwn(styledOf(text)).replaceAll(/&(?:amp|lt|gt);/g, "");
      assert.equal(letters(parts.join("")), letters(whole));
    }),
    { numRuns: 60 },
  );
});

test("sections are within their limit, lose nothing, and a block of code goes on as one", () => {
  const code = `before\n\`\`\`\n${Array.from({ length: 400 }, (_none, index) => `line ${index} &lt;`).join("\n")}\n\`\`\`\nafter`;
  const sections = sectionsOf(code);
  assert.ok(sections.length > 1 && sections.every((section) => section.length <= sectionLimit));
  for (const section of sections)
    assert.equal(section.split("```").length % 2, 1, "each block that is opened is closed");
  assert.equal(sections.join("\n").replaceAll("\n```\n```", ""), code);
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom("a", " ", "\n", "&amp;", "😀", "漢"),
        minLength: 1,
        maxLength: 9000,
        size: "max",
      }),
      (text) => {
        const cut = sectionsOf(text);
        assert.ok(cut.every((section) => section.length <= sectionLimit && section.isWellFormed()));
        assert.equal(cut.join("").replaceAll("\n", ""), text.replaceAll("\n", ""));
        assert.ok(cut.every((section) => !/&[a-z]{0,3}$/.test(section)));
      },
    ),
    { numRuns: 100 },
  );
});

test("nothing to say is no part", () => {
  for (const text of ["", "  \n ", "\u200B"]) assert.deepEqual(renderParts(text), []);
  assert.equal(renderAsQuestion("", undefined).part.body, "…");
});
