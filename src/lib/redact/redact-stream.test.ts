import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { redactStream } from "./redact-stream.ts";
import { mask, redactor } from "./redact.ts";

const known = "hunter2-hunter2";
const account = "{\n  private: 1,\n  also: 2\n}";
const begin = "-----BEGIN RSA PRIVATE KEY-----";
const end = "-----END RSA PRIVATE KEY-----";

const part = fc.oneof(
  fc.constantFrom(known, account, begin, end, mask, account.slice(0, 9), account.slice(3), known.slice(0, 7)),
  fc.constantFrom("\n", "\r", "\r\n", " ", "Bearer ", "sk-", "?token=", "https://u:", "@", "MIIEow"),
  fc.stringMatching(/^[A-Za-z0-9_.-]{0,24}$/),
  fc.string({ unit: fc.anyCharacter }),
);

test("pieces make together what the whole makes, however it is cut", () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 16 }), fc.array(fc.nat(), { maxLength: 8 }), (parts, cuts) => {
      const text = parts.join("");
      const redact = redactor([known, account]);
      assert.equal(streamed(text, cuts).join(""), redact(text));
    }),
    { numRuns: 500 },
  );
});

test("nothing that was told before could be the beginning of a secret", () => {
  const key = `${begin}\nMIIEowIBAAKC\nAQEA7bq\n${end}\n`;
  for (const secret of [known, account, key, "sk-0123456789abcdef0123"]) {
    for (let cut = 1; cut < secret.length; cut++) {
      const stream = redactStream(redactor([known, account]));
      const told = stream.add(`first\nhere: ${secret.slice(0, cut)}`);
      assert.equal(told, "first\n", `${secret} at ${cut}`);
      assert.ok(!(told + stream.add(secret.slice(cut)) + stream.end()).includes(secret.trim()));
    }
  }
});

test("a line is told when it has ended, and one that counts up in place as well", () => {
  const stream = redactStream(redactor([account]));
  const told = ["10 %\r", "20 ", "%\rdone\nre", "st"].map((piece) => stream.add(piece));
  assert.deepEqual([...told, stream.end()], ["10 %\r", "", "20 %\rdone\n", "", "rest"]);
});

test("a brace at the end of a line is not held back for longer than it takes to see what follows", () => {
  const stream = redactStream(redactor([account]));
  assert.equal(stream.add("a {\n"), "");
  assert.equal(stream.add("  b\n"), "a {\n  b\n");
});

function streamed(text: string, cuts: readonly number[]): readonly string[] {
  const stream = redactStream(redactor([known, account]));
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).toSorted((a, b) => a - b), text.length];
  const told = places.map((from, at) => stream.add(text.slice(from, places[at + 1] ?? from)));
  return [...told, stream.end()];
}
