import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../../test/seeded.ts";
import { type Chunk, proseChunks } from "./prose-chunks.ts";

const chunksOf = (...pieces: readonly string[]): readonly Chunk[] => {
  const chunks = proseChunks();
  for (const piece of pieces) chunks.push(piece);
  return chunks.chunks();
};
const prose = (text: string): Chunk => ({ kind: "prose", text });

test("paragraphs stand by themselves, a list with what belongs to it does not", () => {
  assert.deepEqual(chunksOf("one\nline\n\ntwo\n\n- a\n\n  more of a\n- b\n"), [
    prose("one\nline"),
    prose("two"),
    prose("- a\n\n  more of a\n- b"),
  ]);
});

test("code is a chunk with its language, and knows whether it was closed", () => {
  assert.deepEqual(chunksOf("see:\n```ts\nconst a = 1;\n\nconst b = 2;\n```\nend\n~~~\nopen"), [
    prose("see:"),
    { kind: "code", text: "const a = 1;\n\nconst b = 2;", opens: "ts", closes: true },
    prose("end"),
    { kind: "code", text: "open", opens: "", closes: false },
  ]);
});

test("a fence inside of a longer one is code", () => {
  assert.deepEqual(chunksOf("````\n```\n````"), [
    { kind: "code", text: "```\n````", opens: "", closes: false },
  ]);
  assert.deepEqual(chunksOf("````\n```\n````\n"), [{ kind: "code", text: "```", opens: "", closes: true }]);
});

test("what is finished stays the same object while more comes in", () => {
  const chunks = proseChunks();
  chunks.push("one\n\ntwo");
  const [first] = chunks.chunks();
  chunks.push(" goes on\n\nthree");
  assert.equal(chunks.chunks()[0], first);
  assert.deepEqual(chunks.chunks()[1], prose("two goes on"));
});

test("no chunk gets long, not even of one line or one block of code", () => {
  for (const text of ["x".repeat(100_000), "word ".repeat(20_000), `\`\`\`\n${"x\n".repeat(50_000)}`]) {
    const chunks = chunksOf(text);
    assert.ok(chunks.every((chunk) => chunk.text.length <= 16_100));
    const kept = chunks.map((chunk) => chunk.text).join("");
    assert.equal(kept.replaceAll(/\s/g, "").length, text.replaceAll(/[\s`]/g, "").length);
  }
});

test("however a text is cut into pieces, its chunks are the same", () => {
  const line = fc.constantFrom("a", "", " b", "```js", "```", "- c", "    d", "> e", "x".repeat(9_000));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat(20_000)), (lines, cuts) => {
      const text = lines.join("\n");
      const places = [0, ...cuts.filter((at) => at < text.length).toSorted((a, b) => a - b), text.length];
      const pieces = places.slice(1).map((to, at) => text.slice(places[at], to));
      assert.deepEqual(chunksOf(...pieces), chunksOf(text));
    }),
  );
});
