import assert from "node:assert/strict";
import * as fc from "../../../../test/seeded.ts";
import type { Span, Styled } from "./span.ts";

/** Letters of many scripts, families of emoji, marks on marks, nothing to see, and halves of pairs. */
const scripts = [
  [
    "word",
    "two words",
    "漢字かな交じり文。",
    "한국어 문장",
    "مرحبا بالعالم",
    "שלום עולם",
    "नमस्ते दुनिया",
    "สวัสดีชาวโลก",
  ],
  [
    "👨‍👩‍👧‍👦",
    "🏳️‍🌈",
    "🇩🇪🇫🇷",
    "👍🏽",
    "e\u0301\u0323\u0302",
    "Z\u0351\u036B\u0343\u036A".repeat(5),
    "\u200B",
    "\u200D\u200D",
    "\u00AD",
  ],
  ["\uD83D", "\uDE00", "\u0007", "\u202E", "&amp;", "<", ">", "&", "x".repeat(50)],
].flat();

const piece = fc.oneof(
  fc.constantFrom(...scripts),
  fc.constantFrom(" ", " ", " ", "\n", "\n\n", ". ", "。", "\t", "      ", "\n\n\n"),
  fc.constantFrom(
    "**",
    "*",
    "_",
    "~~",
    "`",
    "\n```ts\n",
    "\n```\n",
    "\n# ",
    "\n- ",
    "\n  - ",
    "\n1. ",
    "\n> ",
    "> > ",
    "|a|b|\n|-|-|\n|c|d|\n",
    "\n---\n",
    "<b>",
  ),
  fc.webUrl().map((url) => `[${url.length} words of it](${url})`),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.string({ unit: fc.anyCharacter, maxLength: 20 }),
);

/** From nothing to 100 KB: most are short. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.array(piece, { maxLength: 80, size: "max" }).map((pieces) => pieces.join("")) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.array(piece, { minLength: 1, maxLength: 200, size: "max" }), fc.integer({ min: 1, max: 100 }))
      .map(([pieces, times]) => pieces.join("").repeat(times).slice(0, 100_000)),
  },
);

/** Spans are within the text, in order, and disjoint or within one another. */
export function assertWellMade({ text, spans }: Styled): void {
  const open: Span[] = [];
  let last = 0;
  for (const span of spans) {
    assert.ok(span.start >= last && span.start < span.end && span.end <= text.length, JSON.stringify(span));
    last = span.start;
    while (open.length > 0 && (open.at(-1)?.end ?? 0) <= span.start) open.pop();
    assert.ok(span.end <= (open.at(-1)?.end ?? Infinity), `${JSON.stringify(span)} crosses another`);
    open.push(span);
  }
}
