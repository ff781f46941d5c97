import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../../../test/seeded.ts";
import type { Styled } from "./span.ts";
import { type Fit, split } from "./split.ts";
import { styledOf } from "./styled.ts";
import { anyText, assertWellMade } from "./texts.suite.ts";

const units = (limit: number, mostSpans?: number): Fit => ({
  limit,
  measure: ({ text }) => text.length,
  ...(mostSpans === undefined ? {} : { mostSpans }),
});

/** Letters that are escaped, and signs and addresses around spans, as HTML has them. */
const escaped = (limit: number): Fit => ({
  limit,
  measure: ({ text, spans }) =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").length +
    spans.reduce((sum, { url = "", language = "" }) => sum + 9 + url.length + language.length, 0),
});

const bytes = (limit: number): Fit => ({ limit, measure: ({ text }) => Buffer.byteLength(text) });

const fits: Readonly<Record<string, Fit>> = {
  "4,096 units and 100 spans": units(4_096, 100),
  "2,000 units": units(2_000),
  "200 units and 9 spans": units(200, 9),
  "3,000 escaped": escaped(3_000),
  "300 escaped": escaped(300),
  "500 bytes": bytes(500),
};

/** What a person reads: blanks and what nobody sees are left out. */
const letters = (text: string): string => text.replaceAll(/[\s\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "");

function assertSplit(whole: Styled, parts: readonly Styled[], fit: Fit): void {
  for (const part of parts) {
    assert.ok(fit.measure(part) <= fit.limit, `${fit.measure(part)} > ${fit.limit}`);
    assert.ok(part.spans.length <= (fit.mostSpans ?? Infinity));
    assert.ok(part.text.isWellFormed());
    assert.notEqual(letters(part.text), "");
    assertWellMade(part);
  }
  const all = parts.map(({ text }) => letters(text)).join("");
  assert.equal(withoutAddresses(all), withoutAddresses(letters(whole.text)));
}

/** Behind a link that no part can have, its address is put in. */
const withoutAddresses = (text: string): string => text.replaceAll(/\(https?:[^()]*\)/g, "");

const inTwenties = (text: string): readonly string[] =>
  split({ text, spans: [] }, units(20)).map((part) => part.text);

describe("a split text", () => {
  for (const [name, fit] of Object.entries(fits)) {
    test(`has parts of at most ${name}, with all its words`, () => {
      fc.assert(
        fc.property(anyText, (markdown) => {
          const whole = styledOf(markdown);
          assertSplit(whole, split(whole, fit), fit);
        }),
        { numRuns: 150 },
      );
    });
  }

  test("keeps each link whole that fits into a part", () => {
    const link = fc.tuple(fc.integer({ min: 1, max: 30 }), fc.stringMatching(/^[a-z ]{0,60}$/));
    fc.assert(
      fc.property(fc.array(link, { maxLength: 400, size: "max" }), (links) => {
        const markdown = links.map(
          ([length, between], at) => `[${"l".repeat(length)} ${at}](https://x.example/${at})${between}`,
        );
        const whole = styledOf(markdown.join(""));
        for (const fit of [units(120, 100), units(4_096, 100), escaped(300)]) {
          const found = split(whole, fit).flatMap(({ text, spans }) =>
            spans.filter(({ style }) => style === "link").map(({ start, end }) => text.slice(start, end)),
          );
          assert.deepEqual(
            found,
            links.map(([length], at) => `${"l".repeat(length)} ${at}`),
          );
        }
      }),
      { numRuns: 60 },
    );
  });

  test("ends between paragraphs, lines, sentences, words and letters, in this order", () => {
    assert.deepEqual(inTwenties("one two three\n\nfour\nfive six"), ["one two three", "four\nfive six"]);
    assert.deepEqual(inTwenties("one two three\nfour five six"), ["one two three", "four five six"]);
    assert.deepEqual(inTwenties("One two three. Four five six"), ["One two three.", "Four five six"]);
    assert.deepEqual(inTwenties("one two three four five six"), ["one two three four", "five six"]);
    assert.deepEqual(inTwenties("x".repeat(45)), ["x".repeat(20), "x".repeat(20), "xxxxx"]);
  });

  test("cuts no family of emoji, no flag and no letter with its marks", () => {
    for (const letter of ["👨‍👩‍👧‍👦", "🇩🇪", "e\u0301\u0323", "👍🏽", "각"]) {
      const parts = split({ text: letter.repeat(400), spans: [] }, units(97));
      for (const { text } of parts) assert.equal(text.length % letter.length, 0, letter);
    }
  });

  test("cuts a letter that is longer than a part, but no character", () => {
    const text = `a${"\u0301".repeat(500)}${"\u{1F600}\u200D".repeat(300)}`;
    assertSplit({ text, spans: [] }, split({ text, spans: [] }, units(101)), units(101));
  });

  test("goes on with a block of code as one, with its language and indentation", () => {
    const code = Array.from({ length: 40 }, (_, at) => `    line ${at}`).join("\n");
    const parts = split(styledOf(`Look:\n\n\`\`\`ts\n${code}\n\`\`\``), units(100));
    assert.ok(parts.length > 3);
    for (const { text, spans } of parts.slice(1)) {
      assert.deepEqual(spans, [{ start: 0, end: text.length, style: "pre", language: "ts" }]);
      assert.match(text, /^ {4}line/);
    }
  });

  test("keeps a short block of code together if it can", () => {
    const text = `${"word ".repeat(15)}\n\n\`\`\`\na\n\nb\n\`\`\`\n\n${"more ".repeat(10)}`;
    const [first, second] = split(styledOf(text), units(79));
    assert.equal(first?.text, "word ".repeat(15).trim());
    assert.match(second?.text ?? "", /^a\n\nb\n\nmore/);
  });

  test("shows the address of a link that is too long for a part", () => {
    const url = `https://x.example/${"a".repeat(700)}`;
    const parts = split(styledOf(`see [this](${url}) and **that**`), escaped(300));
    assert.equal(letters(parts.map(({ text }) => text).join("")), letters(`see this (${url}) and that`));
    assert.deepEqual(
      parts.at(-1)?.spans.map(({ style }) => style),
      ["bold"],
    );
  });

  test("of nothing to see has no parts", () => {
    for (const text of ["", " \n\t ", "\u200B\u200D", "\u3164"])
      assert.deepEqual(split({ text, spans: [] }, units(10)), []);
  });

  test("of 100 KB takes time that grows with its length, whatever it is made of", () => {
    const size = 100_000;
    const texts = {
      line: "x".repeat(size),
      words: "lorem ipsum ".repeat(size / 12),
      blanks: `a${" ".repeat(size)}b`,
      lines: `a${"\n".repeat(size)}b`,
      marks: `e${"\u0301".repeat(size)}`,
      families: "👨‍👩‍👧‍👦".repeat(size / 11),
      code: `\`\`\`\n${"let a = 1;\n".repeat(size / 11)}\`\`\``,
      links: "[a](https://x.example/1) ".repeat(size / 25),
      escapes: "&<>".repeat(size / 3),
      nested: `${"> ".repeat(30)}${"**a _b_** ".repeat(size / 10)}`,
    };
    for (const [name, text] of Object.entries(texts)) {
      const whole = styledOf(text);
      let measured = 0;
      const fit = units(4_096, 100);
      const parts = split(whole, {
        ...fit,
        measure: (part) => {
          measured += part.text.length;
          return fit.measure(part);
        },
      });
      assertSplit(whole, parts, fit);
      assert.ok(measured < 60 * size, `${name}: ${measured}`);
    }
  });
});
