import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../test/seeded.ts";
import { exactly, hidesSomething, readably } from "./visible-text.ts";

const cases: readonly [name: string, line: string, shown: string][] = [
  ["plain text stays", "git commit -m 'x \\n y' && ls", "git commit -m 'x \\n y' && ls"],
  ["a text that turns around", "echo \u202Egpj.exe", "echo \\u{202E}gpj.exe"],
  ["a zero-width space", "r\u200Bm", "r\\u{200B}m"],
  ["an escape sequence", "a\u001B[2Kb", "a\\u{1B}[2Kb"],
  ["a carriage return", "safe\rrm", "safe\\u{D}rm"],
  ["a tab and a line end", "a\tb\nc", "a\\u{9}b\\u{A}c"],
  ["blanks at the end", "ls   ", "ls\\u{20*3}"],
  ["one blank at the end", "ls ", "ls\\u{20}"],
  ["a gap as wide as a screen", `ls${" ".repeat(300)};rm`, "ls\\u{20*300};rm"],
  ["an indented line", `${" ".repeat(12)}x`, `${" ".repeat(12)}x`],
  ["a space that is none", "rm\u00A0-rf", "rm\\u{A0}-rf"],
  ["a Cyrillic letter in a Latin word", "cаt", "c\\u{430}t"],
  ["a word that only looks Latin", "сору", "\\u{441}\\u{43E}\\u{440}\\u{443}"],
  ["a Russian word", "echo привет", "echo привет"],
  ["full-width letters", "ｒｍ", "\\u{FF52}\\u{FF4D}"],
  ["letters of mathematics", "𝗿𝗺", "\\u{1D5FF}\\u{1D5FA}"],
  ["a slash that is none", "a∕b", "a\\u{2215}b"],
  ["a Greek question mark", "ls\u037E", "ls\\u{37E}"],
  ["letters with accents", "Grüße aus Łódź", "Grüße aus Łódź"],
  ["an accent of its own", "e\u0301", "e\\u{301}"],
  ["Chinese", "文件.txt", "文件.txt"],
  ["Hindi", "हिन्दी", "हिन्दी"],
  ["Hebrew, which would turn the line", "rm א/ב", "rm \\u{5D0}/\\u{5D1}"],
  ["an emoji", "🎉 done", "🎉 done"],
  ["a letter that shows nothing", "a\u3164b", "a\\u{3164}b"],
  ["a half character", "a\uD83D", "a\\u{D83D}"],
  ["what looks like a spelling already", "\\u{202E}", "\\u{5C}u{202E}"],
  ["many of a kind", "\u200B".repeat(9), "\\u{200B*9}"],
];

describe("a line made visible", () => {
  for (const [name, line, shown] of cases) {
    test(name, () => {
      assert.equal(exactly(line), shown);
      assert.equal(
        hidesSomething(line),
        line.split("\n").some((part) => exactly(part) !== part),
      );
    });
  }

  test("can be put back, whatever it was", () => {
    fc.assert(
      fc.property(anyLine, (line) => {
        assert.equal(putBack(exactly(line)), line);
      }),
      { numRuns: 2000 },
    );
  });

  test("holds nothing that steers a screen", () => {
    fc.assert(
      fc.property(anyLine, (line) => {
        for (const shown of [exactly(line), readably(line)]) assert.doesNotMatch(shown, steering);
      }),
      { numRuns: 2000 },
    );
  });

  test("prose and code keep their script and their indentation", () => {
    assert.equal(readably("+\tשלום, сору"), "+→   שלום, сору");
    assert.equal(readably("a\u202Eb\u200B"), "a\\u{202E}b\\u{200B}");
  });
});

const steering = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u200B-\u200F\u2060-\u206F\uFEFF\u00AD]/u;

const tricky = fc.constantFrom(
  ..."\\u{}*20\u202E\u2066\u200B\u200D\uFEFF\u001B\u009B\r\n\t  \u00A0\u2028а",
  "\\u{",
  "\\u{20*3}",
  "\uD83D",
  "\uDE00",
  "e\u0301",
);
const anyLine = fc.oneof(
  fc.string({ unit: fc.anyCharacter }),
  fc.string({ unit: "grapheme" }),
  fc
    .array(fc.oneof(tricky, fc.string({ unit: fc.anyCharacter, maxLength: 2 })))
    .map((parts) => parts.join("")),
);

/** The inverse, as a reader would do it. */
const putBack = (shown: string): string =>
  shown.replaceAll(/\\u\{([0-9A-F]+)(?:\*(\d+))?\}/g, (_, code: string, times = "1") =>
    String.fromCodePoint(Number.parseInt(code, 16)).repeat(Number(times)),
  );
