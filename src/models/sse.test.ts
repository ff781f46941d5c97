import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../test/seeded.ts";
import { sseDecoder, type SseFrame } from "./sse.ts";

function decode(chunks: Iterable<Uint8Array>): readonly SseFrame[] {
  const decoder = sseDecoder();
  const frames = [...chunks].flatMap((chunk) => decoder.feed(chunk));
  return [...frames, ...decoder.end()];
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The bytes cut at the given places. */
function cut(bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] {
  const edges = [
    0,
    ...places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b),
    bytes.length,
  ];
  return edges.slice(1).map((end, at) => bytes.subarray(edges[at], end));
}

test("frames carry their event name and data, and comments are no frames", () => {
  const frames = decode([bytesOf('event: a\ndata: {"x":1}\n\n: ping\n\ndata: one\ndata: two\n\n')]);
  assert.deepEqual(frames, [{ event: "a", data: '{"x":1}' }, { data: "one\ntwo" }]);
});

test("a last frame without its blank line still counts", () => {
  assert.deepEqual(decode([bytesOf("data: [DONE]")]), [{ data: "[DONE]" }]);
});

test("any chunking gives the same frames, whatever the line ends and characters", () => {
  const line = fc.string({ unit: "grapheme" }).map((text) => text.replaceAll(/[\r\n]/g, ""));
  const frame = fc.record({
    event: fc.option(fc.constantFrom("a", "b")),
    data: line,
    end: fc.constantFrom("\n", "\r\n", "\r"),
  });
  fc.assert(
    fc.property(fc.array(frame), fc.boolean(), fc.array(fc.nat()), (wanted, bom, places) => {
      const text = wanted
        .map(
          ({ event, data, end }) =>
            `${event === null ? "" : `event: ${event}${end}`}data: ${data}${end}${end}`,
        )
        .join("");
      const bytes = bytesOf((bom ? "\uFEFF" : "") + text);
      const expected = wanted.map(({ event, data }) => (event === null ? { data } : { event, data }));
      assert.deepEqual(decode([bytes]), expected);
      assert.deepEqual(decode(cut(bytes, places)), expected);
      assert.deepEqual(decode(Array.from(bytes, (byte) => Uint8Array.of(byte))), expected);
    }),
  );
});
