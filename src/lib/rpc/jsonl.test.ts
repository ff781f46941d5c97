import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { LineTooLongError, defaultMaxLineBytes, lines } from "./jsonl.ts";
import type { LineOptions } from "./jsonl.ts";

describe("lines", () => {
  test("any chunking gives the lines of the whole", async () => {
    const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 20 });
    const property = fc.asyncProperty(document, cuts, fc.boolean(), async (bytes, places, keepPartial) => {
      const expected = reference(bytes, keepPartial);
      assert.deepEqual(await read(cutAt(bytes, places), { keepPartial }), expected);
      assert.deepEqual(await read(singleBytes(bytes), { keepPartial }), expected);
    });
    await fc.assert(property, { numRuns: 500 });
  });

  test("only LF ends a line", async () => {
    assert.deepEqual(await readText("a\u2028b\u2029c\u0085d\u000be\u0000f\rg\n"), [
      "a\u2028b\u2029c\u0085d\u000be\u0000f\rg",
    ]);
  });

  test("one CR before the LF is dropped, a second one stays", async () => {
    assert.deepEqual(await readText("a\r\nb\r\r\n\r\n\n"), ["a", "b\r", "", ""]);
  });

  test("a byte order mark is dropped at the start and kept elsewhere", async () => {
    assert.deepEqual(await readText("\ufeffa\n\ufeffb\n"), ["a", "\ufeffb"]);
    assert.deepEqual(await readText("\n\ufeffb\n"), ["", "\ufeffb"]);
  });

  test("a character cut in two by a chunk is one character", async () => {
    const bytes = Buffer.from("é😀\n");
    assert.deepEqual(await read([bytes.subarray(0, 1), bytes.subarray(1, 4), bytes.subarray(4)]), ["é😀"]);
  });

  test("bytes that are not UTF-8 become replacement characters and the next line is whole", async () => {
    assert.deepEqual(await read([Uint8Array.of(0x61, 0xff, 0xc3, 0x0a, 0x62, 0x0a)]), ["a\ufffd\ufffd", "b"]);
  });

  test("a last line without LF is left out unless asked for", async () => {
    assert.deepEqual(await readText('{"a":1}\n{"b"'), ['{"a":1}']);
    assert.deepEqual(await readText('{"a":1}\n{"b"', { keepPartial: true }), ['{"a":1}', '{"b"']);
    assert.deepEqual(await readText("a\n", { keepPartial: true }), ["a"]);
  });

  test("a source that shares its buffer between chunks does no harm", async () => {
    const shared = Buffer.alloc(1);
    async function* source() {
      for (const byte of Buffer.from("abc\ndef\n")) {
        shared[0] = byte;
        yield shared;
      }
    }
    assert.deepEqual(await Array.fromAsync(lines(source())), ["abc", "def"]);
  });

  test("a line of exactly the limit passes, one byte more is refused after the lines before it", async () => {
    assert.deepEqual(await readText("1234\n12\n", { maxBytes: 4 }), ["1234", "12"]);
    for (const chunks of [[Buffer.from("ok\n12345\n")], singleBytes(Buffer.from("ok\n12345"))]) {
      const seen: string[] = [];
      await assert.rejects(
        async () => {
          for await (const line of lines(from(chunks), { maxBytes: 4 })) seen.push(line);
        },
        (error) =>
          error instanceof LineTooLongError && error.limit === 4 && error.message.includes("4 bytes"),
      );
      assert.deepEqual(seen, ["ok"]);
    }
  });

  test("an endless line is refused at the limit, and the source is closed", async () => {
    const chunk = Buffer.alloc(1024 * 1024, 0x61);
    let sent = 0;
    let closed = false;
    async function* endless() {
      try {
        for (;;) {
          sent += chunk.length;
          yield chunk;
        }
      } finally {
        closed = true;
      }
    }
    await assert.rejects(Array.fromAsync(lines(endless())), LineTooLongError);
    assert.equal(sent, defaultMaxLineBytes + chunk.length);
    assert.ok(closed);
  });

  test("a line of the full length in small chunks is not copied again and again", async () => {
    const piece4k = Buffer.alloc(4096, 0x61);
    const pieces = Array.from({ length: defaultMaxLineBytes / piece4k.length }, () => piece4k);
    const started = process.threadCpuUsage();
    const [line] = await read([...pieces, Buffer.from("\n")]);
    assert.equal(line?.length, defaultMaxLineBytes);
    // Joining the line anew for each chunk would move 137 GB.
    assert.ok(process.threadCpuUsage(started).user < 5_000_000);
  });

  test("a source that fails fails the reader", async () => {
    await assert.rejects(Array.fromAsync(lines(brokenAfter("a\nb"))), /pipe broke/);
  });
});

async function* brokenAfter(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
  throw new Error("pipe broke");
}

const piece = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom("\n", "\r\n", "\r", "\ufeff", "\u2028", "\u2029", "\0", "é", "漢", "😀"),
  },
  { weight: 2, arbitrary: fc.string({ unit: fc.anyCharacter, maxLength: 5 }) },
);
const document = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: piece.map((text) => Uint8Array.from(Buffer.from(text))) },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 4 }) },
    ),
    { maxLength: 30 },
  )
  .map((pieces) => Uint8Array.from(Buffer.concat(pieces)));

/** The contract, said over the whole document. In latin1 a byte is a character, so that strings can be split. */
function reference(bytes: Uint8Array, keepPartial: boolean): string[] {
  const whole = Buffer.from(bytes).toString("latin1");
  const parts = whole
    .replace(/^\xef\xbb\xbf/, "")
    .split("\n")
    .map(decoded);
  const last = parts.pop() ?? "";
  return keepPartial && last !== "" ? [...parts, last] : parts;
}

const decoded = (latin: string): string => Buffer.from(latin.replace(/\r$/, ""), "latin1").toString("utf8");

function cutAt(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [
    0,
    ...cuts.map((cut) => Math.min(cut, bytes.length)).toSorted((a, b) => a - b),
    bytes.length,
  ];
  return places.slice(1).map((fixture, index) => bytes.subarray(places[index], fixture));
}

function* singleBytes(bytes: Uint8Array): Generator<Uint8Array> {
  for (let index = 0; index < bytes.length; index += 1) yield bytes.subarray(index, index + 1);
}

async function* from(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield chunk;
}

const read = (chunks: Iterable<Uint8Array>, options?: LineOptions): Promise<string[]> =>
  Array.fromAsync(lines(from(chunks), options));

const readText = (text: string, options?: LineOptions): Promise<string[]> =>
  read([Buffer.from(text)], options);
