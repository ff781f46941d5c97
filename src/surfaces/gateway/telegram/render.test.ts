import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkEntities, checkKeyboard } from "../../../../test/fakes/telegram/limits.ts";
import * as fc from "../../../../test/seeded.ts";
import type { Part } from "../../../core/gateway/chat.ts";
import { anyText } from "../text/texts.suite.ts";
import { type Body, captionOf, keyboardOf, readBody, render, renderQuestion } from "./render.ts";

const bodyOf = (part: Part): Body => readBody(part.body);

/** As the platform checks it. */
function assertTaken({ text, entities }: Body, limit: number): void {
  assert.ok(text.length <= limit, `${text.length} > ${limit}`);
  assert.notEqual(text.trim(), "");
  assert.ok(entities.length <= 100, `${entities.length} entities`);
  assert.equal(checkEntities(text, entities).length, entities.length);
  assert.ok(text.isWellFormed());
}

const end = ({ offset, length }: { readonly offset: number; readonly length: number }): number =>
  offset + length;

/** Code stands alone, and quotations are not in one another. */
function assertNested({ entities }: Body): void {
  for (const code of entities.filter(({ type }) => type === "code" || type === "pre")) {
    for (const other of entities) {
      if (other === code || other.type === "blockquote") continue;
      assert.ok(end(other) <= code.offset || other.offset >= end(code), `${other.type} and ${code.type}`);
    }
  }
  const quotes = entities.filter(({ type }) => type === "blockquote");
  for (const [at, quote] of quotes.entries())
    assert.ok(quote.offset >= end(quotes[at - 1] ?? { offset: 0, length: 0 }));
}

describe("a text for Telegram", () => {
  test("has the looks that Telegram has", () => {
    const [part] = render(
      "**b** _i_ ~~s~~ `c` [l](https://x.example/) https://y.example\n\n> q\n\n```ts\np\n```",
    );
    assert.deepEqual(part && bodyOf(part), {
      text: "b i s c l https://y.example\n\nq\n\np",
      entities: [
        { type: "bold", offset: 0, length: 1 },
        { type: "italic", offset: 2, length: 1 },
        { type: "strikethrough", offset: 4, length: 1 },
        { type: "code", offset: 6, length: 1 },
        { type: "text_link", offset: 8, length: 1, url: "https://x.example/" },
        { type: "blockquote", offset: 29, length: 1 },
        { type: "pre", offset: 32, length: 1, language: "ts" },
      ],
    });
  });

  test("has no other looks around code, and a link with code in it stays a link", () => {
    const [part] = render("**a `b` c** [`d`](https://x.example)");
    assert.deepEqual(
      part && bodyOf(part).entities.map(({ type, offset, length }) => [type, offset, length]),
      [
        ["bold", 0, 2],
        ["code", 2, 1],
        ["bold", 3, 2],
        ["text_link", 6, 1],
      ],
    );
  });

  test("B3: has parts that Telegram takes, whatever the text", () => {
    fc.assert(
      fc.property(anyText, (markdown) => {
        for (const part of render(markdown)) {
          assertTaken(bodyOf(part), 4096);
          assertNested(bodyOf(part));
          assert.equal(part.plain, bodyOf(part).text);
        }
      }),
      { numRuns: 120 },
    );
  });

  test("B3: with thousands of links has at most a hundred in a part, and loses none", () => {
    const links = Array.from({ length: 2_500 }, (_, at) => `[l${at}](https://x.example/${at})`);
    const parts = render(links.join(" "));
    for (const part of parts) assertTaken(bodyOf(part), 4096);
    assert.deepEqual(
      parts.flatMap((part) => bodyOf(part).entities.map(({ url }) => url)),
      links.map((_, at) => `https://x.example/${at}`),
    );
  });

  test("shows an address that is too long for a link", () => {
    const url = `https://x.example/${"a".repeat(3_000)}`;
    const parts = render(`[here](${url})`);
    assert.deepEqual(parts.map(bodyOf), [{ text: `here (${url})`, entities: [] }]);
  });

  test("B3: as a question is one part with its buttons, cut with a mark when it is too long", () => {
    const buttons = [[{ label: "Yes", data: "y" }]];
    fc.assert(
      fc.property(anyText, (markdown) => {
        const { part, isCut } = renderQuestion(`Really? ${markdown}`, buttons);
        assertTaken(bodyOf(part), 4096);
        assert.equal(isCut, render(`Really? ${markdown}`).length > 1);
        assert.equal(bodyOf(part).text.endsWith("\n…") || !isCut, true);
        assert.deepEqual(part.buttons, buttons);
      }),
      { numRuns: 60 },
    );
  });

  test("B3: below a file has at most 1,024 units", () => {
    fc.assert(
      fc.property(anyText, (markdown) => {
        for (const part of render(markdown).slice(0, 3)) assertTaken(captionOf(bodyOf(part)), 1024);
      }),
      { numRuns: 60 },
    );
  });

  test("B3: has buttons whose data are at most 64 bytes, as the gateway makes them, and labels that are not endless", () => {
    const data = fc.string({ unit: "grapheme", minLength: 1, maxLength: 64 }).filter((text) => {
      const bytes = Buffer.byteLength(text);
      return bytes > 0 && bytes <= 64;
    });
    fc.assert(
      fc.property(data, fc.string({ unit: fc.anyCharacter, minLength: 1, maxLength: 200 }), (id, label) => {
        const keyboard = keyboardOf([[{ label: `A${label}`, data: id }]]);
        assert.ok(checkKeyboard(keyboard));
        assert.ok((keyboard?.inline_keyboard[0]?.[0]?.text.length ?? 99) <= 64);
      }),
    );
    assert.throws(
      () => checkKeyboard(keyboardOf([[{ label: "A", data: "é".repeat(33) }]])),
      /BUTTON_DATA_INVALID/,
    );
  });

  test("of another making has no words", () => {
    for (const body of [null, 5, "x", [], { text: 5 }]) assert.equal(readBody(body).text, "");
  });
});
