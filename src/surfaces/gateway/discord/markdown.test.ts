import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readMarkup } from "../../../../test/fakes/discord/markup.ts";
import * as fc from "../../../../test/seeded.ts";
import { styledOf, type Styled } from "../text/styled.ts";
import { anyText } from "../text/texts.suite.ts";
import { linkable } from "./escape.ts";
import { discordMarkdown } from "./markdown.ts";

const shownAs = (markdown: string): string => discordMarkdown(styledOf(markdown));

describe("Discord's markup", () => {
  test("has a sign for each style", () => {
    assert.equal(shownAs("**b** *i* ~~s~~ `c`"), "**b** *i* ~~s~~ `c`");
    assert.equal(shownAs("***both***"), "***both***");
    assert.equal(shownAs("# Title\n\ntext"), "**Title**\n\ntext");
    assert.equal(shownAs("> one\n> two\n\nthree"), "> one\n> two\n\nthree");
    assert.equal(shownAs("```ts\nlet a = `b`;\n```\nend"), "```ts\nlet a = `b`;\n```\n\nend");
    assert.equal(shownAs("[words](https://a.example/b_c)"), "[words](<https://a.example/b_c>)");
    assert.equal(shownAs("see https://a.example/b_c*d, yes"), "see <https://a.example/b_c%2Ad>, yes");
  });

  test("leaves nothing in a text that names or formats", () => {
    const texts = [
      "@everyone and @here, <@123>, <@!123>, <@&123>, <#123>, </run:123>, <:a:123>, <t:123>, <t:123:R>, <id:guide>",
      "a_b_c __u__ ||spoiler|| snake_case_name 2 * 3 * 4 ~~~~ \\*",
      "-# small\n\\# no heading\n+ plus\n\\- dash\n1\\. one\n\\> quote\n\\>>> all",
      "[brackets] (round) [x](y) ![i](j)",
      "`` ` `` and ``` `` ``` and `a``b`",
    ];
    for (const text of texts) {
      const { named, letters } = readMarkup(discordMarkdown({ text, spans: [] }));
      assert.deepEqual(named, [], text);
      assert.deepEqual(
        letters.filter(({ styles }) => styles !== ""),
        [],
        text,
      );
      assert.equal(bare(letters.map(({ letter }) => letter).join("")), bare(text));
    }
  });

  test("shows where a link leads when its words say otherwise, or could not be kept in brackets", () => {
    assert.equal(
      shownAs("[https://bank.example](https://evil.example)"),
      "<https://bank.example> (<https://evil.example>)",
    );
    assert.equal(
      shownAs(String.raw`[a \[b\]](https://a.example)`),
      String.raw`a \[b\] (<https://a.example>)`,
    );
    assert.equal(shownAs("[a](https://a.example/(b))"), "[a](<https://a.example/%28b%29>)");
  });

  test("keeps styles apart that stand side by side", () => {
    assert.deepEqual(lettersOf("**a***b*"), lettersExpected(styledOf("**a***b*")));
    const both: Styled = {
      text: "abcd",
      spans: [
        { start: 0, end: 1, style: "bold" },
        { start: 1, end: 2, style: "italic" },
        { start: 2, end: 3, style: "code" },
        { start: 3, end: 4, style: "code" },
      ],
    };
    assert.deepEqual(lettersShown(both), lettersExpected(both));
  });

  test("means each letter of any text as it is styled, and names nobody", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { text: words, spans } = styledOf(text.slice(0, 6_000));
        const styled = { text: words, spans: spans.filter(({ style }) => style !== "link") };
        assert.deepEqual(readMarkup(discordMarkdown(styled)).named, []);
        assert.deepEqual(lettersShown(styled), lettersExpected(styled));
      }),
      { numRuns: 300 },
    );
  });

  test("means each letter of texts of signs alone as it is styled", () => {
    const signs = fc.string({
      unit: fc.constantFrom(..."\\*_~`|<>@#[]()-+.:! a1\n", "https://", "@everyone", "<@1>", "1. "),
      maxLength: 40,
    });
    fc.assert(
      fc.property(signs, fc.boolean(), (text, isMarkdown) => {
        const read = isMarkdown ? styledOf(text) : { text, spans: [] };
        const styled = { text: read.text, spans: read.spans.filter(({ style }) => style !== "link") };
        assert.deepEqual(readMarkup(discordMarkdown(styled)).named, []);
        assert.deepEqual(lettersShown(styled), lettersExpected(styled));
      }),
      { numRuns: 3_000 },
    );
  });

  test("leads to each address of any text that has links, and to no other", () => {
    const link = fc
      .tuple(
        fc.webUrl({ withQueryParameters: true, withFragments: true }),
        fc.string({ unit: "grapheme", maxLength: 12 }),
      )
      .map(([url, words]) => `[${words.replaceAll(/[[\]\\]/g, "")}](<${url}>)`);
    fc.assert(
      fc.property(
        fc.array(fc.oneof(link, fc.constantFrom("**", "_", " and ", "\n\n> ", "\n- ", "`x`")), {
          maxLength: 12,
        }),
        (parts) => {
          const styled = styledOf(parts.join(""));
          const wanted = styled.spans.flatMap(({ style, url = "" }) =>
            style === "link" ? [linkable(url)] : [],
          );
          const { letters } = readMarkup(discordMarkdown(styled));
          const led = new Set(letters.flatMap(({ href }) => (href === undefined ? [] : [href])));
          for (const url of wanted) assert.ok(led.has(url), `${url} in ${discordMarkdown(styled)}`);
        },
      ),
      { numRuns: 300 },
    );
  });
});

/** Without what nobody sees. */
const bare = (text: string): string =>
  text
    .replaceAll(/[\s\u200B]/g, "")
    .replaceAll(/%(?:28|29|2A|5C|60|7C|7E)/g, (code) => decodeURIComponent(code));

const joined = (letters: readonly (readonly [string, string])[]): readonly string[] => {
  const runs: { text: string; styles: string }[] = [];
  for (const [letter, styles] of letters) {
    if (/[\s\u200B]/.test(letter)) continue;
    const last = runs.at(-1);
    if (last?.styles === styles) last.text += letter;
    if (last?.styles !== styles) runs.push({ text: letter, styles });
  }
  return runs.map(({ text, styles }) => `${styles}: ${bare(text)}`);
};

const lettersShown = (styled: Styled): readonly string[] =>
  joined(readMarkup(discordMarkdown(styled)).letters.map(({ letter, styles }) => [letter, styles]));

const lettersOf = (markdown: string): readonly string[] => lettersShown(styledOf(markdown));

/** Code has no other style but that of a quotation around it. */
function lettersExpected({ text, spans }: Styled): readonly string[] {
  let at = 0;
  return joined(
    [...text].map((letter) => {
      const styles = spans.filter(({ start, end }) => start <= at && at < end).map(({ style }) => style);
      at += letter.length;
      const isCode = styles.includes("pre") ? "pre" : styles.includes("code") ? "code" : undefined;
      const kept = isCode === undefined ? styles : [isCode, ...(styles.includes("quote") ? ["quote"] : [])];
      return [letter, [...new Set(kept)].toSorted().join(" ")] as const;
    }),
  );
}
