import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { complaint, type Posted } from "../../../../test/fakes/discord/posting.ts";
import * as fc from "../../../../test/seeded.ts";
import type { Part } from "../../../core/gateway/chat.ts";
import { styledOf } from "../text/styled.ts";
import { anyText } from "../text/texts.suite.ts";
import { payloadOf, plainContent, render, renderQuestion } from "./render.ts";

const contentOf = (part: Part): string => (payloadOf(part) as Posted).content ?? "";

/** What Discord would say against it; a message of its own limits, which the fake keeps. */
const refusalOf = (part: Part): unknown =>
  complaint(
    payloadOf(part),
    { method: "POST", path: "/", query: new URLSearchParams(), body: {}, files: [], authorization: "" },
    true,
  );

const button = fc.record({
  label: fc.string({ unit: "grapheme", maxLength: 120 }),
  data: fc.uuid().map((id) => `apr_${id}`.slice(0, 64)),
});

describe("limits of Discord (B3)", () => {
  test("B2 row 20: no part of any text of 0 to 100 KB is longer than 2,000 characters, and none is refused", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const part of render(text)) {
          assert.ok(contentOf(part).length <= 2_000, `${contentOf(part).length}`);
          assert.equal(refusalOf(part), undefined, contentOf(part));
        }
      }),
      { numRuns: 120 },
    );
  });

  test("the parts of a text have all of its words, in order", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const styled = styledOf(text);
        fc.pre(styled.spans.every(({ style }) => style !== "link"));
        const parts = render(text).map(({ plain }) => plain);
        assert.equal(bare(parts.join("")), bare(styled.text));
      }),
      { numRuns: 60 },
    );
  });

  test("B2 row 20: a question of any length is one message with its buttons, and says when it is cut", () => {
    fc.assert(
      fc.property(
        anyText,
        fc.array(fc.uniqueArray(button, { selector: ({ data }) => data, maxLength: 7 }), { maxLength: 2 }),
        (text, rows) => {
          fc.pre(new Set(rows.flat().map(({ data }) => data)).size === rows.flat().length);
          const { part, isCut } = renderQuestion(text, rows);
          assert.ok(contentOf(part).length <= 2_000);
          assert.equal(refusalOf(part), undefined, contentOf(part));
          assert.equal(isCut, render(text).length > 1);
          assert.equal(contentOf(part).includes("(cut: too long for one message)"), isCut);
          const shown = (payloadOf(part) as Posted).components?.flatMap((row) => row.components ?? []) ?? [];
          assert.deepEqual(
            shown.map((one) => one.custom_id),
            rows.flat().map(({ data }) => data),
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  test("letters that take many characters of markup are still within the limit", () => {
    for (const sign of [
      "*",
      "_",
      "`",
      "\\",
      "<",
      "@everyone ",
      "~~",
      "[",
      "||",
      "\n> ",
      "**a** *b* ",
      "`a`` ` ",
    ]) {
      for (const part of render(sign.repeat(2_000))) {
        assert.ok(contentOf(part).length <= 2_000, sign);
        assert.equal(refusalOf(part), undefined, sign);
      }
    }
  });

  test("a code block that is cut goes on as one, in its language", () => {
    const code = Array.from({ length: 200 }, (_, at) => `const line${at} = ${at};`).join("\n");
    const parts = render(`Look:\n\n\`\`\`ts\n${code}\n\`\`\``).map(contentOf);
    assert.ok(parts.length > 2);
    for (const part of parts.slice(1)) {
      assert.ok(part.startsWith("```ts\n"), part.slice(0, 40));
      assert.ok(part.endsWith("\n```"), part.slice(-40));
    }
  });

  test("nobody is rung by any message, and Discord looks at no address in it", () => {
    const [part] = render("hello @everyone <@1>");
    assert.ok(part !== undefined);
    assert.deepEqual(payloadOf(part)["allowed_mentions"], { parse: [], replied_user: false });
  });

  test("words of ours to one person are as they are, and at most 2,000 characters", () => {
    assert.equal(plainContent("You may not *answer* this."), String.raw`You may not \*answer\* this.`);
    assert.equal(plainContent(""), "…");
    fc.assert(
      fc.property(anyText, (text) => assert.ok(plainContent(text).length <= 2_000)),
      { numRuns: 20 },
    );
  });

  test("no text makes no message", () => {
    assert.deepEqual(render(""), []);
    assert.deepEqual(render(" \n\n\u200B"), []);
  });
});

const bare = (text: string): string =>
  text.replaceAll(/[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "");
