import assert from "node:assert/strict";
import { PassThrough, Readable } from "node:stream";
import { describe, test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { systemClock } from "../../lib/clock.ts";
import { stdioStream } from "./stdio.ts";

const clock = { ...systemClock, sleep: async () => {} };

/** What the library gets, and what was answered past it. */
async function read(bytes: Buffer, cuts: readonly number[], maxBytes: number) {
  const stdout = new PassThrough();
  const logged: string[] = [];
  const places = [0, ...cuts.map((cut) => cut % bytes.length), bytes.length].toSorted((a, b) => a - b);
  const chunks = places.slice(1).map((end, at) => bytes.subarray(places[at], end));
  const stdin = Readable.from(chunks.filter(({ length }) => length > 0));
  const { readable } = stdioStream({ stdin, stdout }, { maxBytes, clock, log: (line) => logged.push(line) });
  const messages = await Array.fromAsync(readable);
  stdout.end();
  const answers = (await stdout.toArray()).join("").split("\n").filter(Boolean);
  return { messages, answers: answers.map((answer) => JSON.parse(answer) as unknown), logged };
}

const long = (id: string): string => `{"jsonrpc":"2.0",${id}"method":"a","params":"${"é".repeat(200)}"}`;

describe("messages over stdin", () => {
  test("are the same however the bytes are cut, and one that is too long is answered and skipped", async () => {
    const lines = [
      '{"n":1}',
      long('"id":7,'),
      '{"n":2}',
      long('"id":"x",'),
      long(""),
      "nonsense",
      '{"n":"ü"}',
    ];
    const bytes = Buffer.from(lines.join("\n"));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(10_000), { maxLength: 12 }), async (cuts) => {
        const { messages, answers, logged } = await read(bytes, cuts, 100);
        assert.deepEqual(messages, [{ n: 1 }, { n: 2 }, { n: "ü" }]);
        assert.partialDeepStrictEqual(answers, [
          { id: 7, error: { code: -32_600 } },
          { id: "x", error: { code: -32_600 } },
          { id: null, error: { code: -32_600 } },
          { id: null, error: { code: -32_700 } },
        ]);
        assert.equal(logged.length, 3);
      }),
      { numRuns: 30 },
    );
  });

  test("that are nested too deep are answered and skipped, and the next one is read", async () => {
    const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
    const lines = [`{"jsonrpc":"2.0","id":3,"method":"a","params":${deep}}`, '{"n":1}'];
    const { messages, answers, logged } = await read(Buffer.from(lines.join("\n")), [], 1_000_000);
    assert.deepEqual(messages, [{ n: 1 }]);
    const message = "The message is nested deeper than 500 levels and was not read. Send it flatter.";
    assert.deepEqual(answers, [{ jsonrpc: "2.0", id: 3, error: { code: -32_600, message } }]);
    assert.equal(logged.length, 1);
  });

  test("of exactly the longest length are read", async () => {
    const bytes = Buffer.from(`{"n":"${"x".repeat(91)}"}\n{"n":"${"x".repeat(92)}"}\n`);
    const { messages, answers } = await read(bytes, [], 100);
    assert.deepEqual([messages.length, answers.length], [1, 1]);
  });
});
