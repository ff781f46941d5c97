import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { mask, redactor } from "../../lib/redact/redact.ts";
import { maskedStream } from "./masked-stream.ts";

const secret = "hunter2-hunter2";

test("a secret is masked however the text is cut into pieces", () => {
  const text = `a ${secret} b\r${secret}\nno end: ä ${secret}`;
  fc.assert(
    fc.property(fc.array(fc.nat(text.length + 4), { maxLength: 8 }), (cuts) => {
      const { told, end } = streamed(Buffer.from(text), cuts);
      const masked = text.replaceAll(secret, mask);
      assert.deepEqual([told, end], [masked, { output: masked, cut: false }]);
    }),
  );
});

test("a line is told when it has ended, one that counts up in place too", () => {
  const told: string[] = [];
  const stream = maskedStream(redactor(), 100, (text) => told.push(text));
  for (const piece of ["10 %\r", "20 ", "%\rdone\nre", "st"]) stream.add(Buffer.from(piece));
  assert.deepEqual(told, ["10 %\r", "20 %\rdone\n"]);
  assert.equal(stream.end().output, "10 %\r20 %\rdone\nrest");
  assert.equal(told.at(-1), "rest");
});

test("only the end of a long output is kept, and a line without end is not held back for ever", () => {
  const told: string[] = [];
  const stream = maskedStream(redactor([secret]), 10, (text) => told.push(text));
  for (let at = 0; at < 30; at++) stream.add(Buffer.from("x".repeat(5000)));
  stream.add(Buffer.from(secret.slice(0, 8)));
  assert.ok(told.join("").length > 100_000);
  stream.add(Buffer.from(`${secret.slice(8)}\n`));
  assert.deepEqual(stream.end(), { output: "redacted]\n", cut: true });
  assert.equal(told.join("").length, 150_000 + mask.length + 1);
});

test("a secret is masked wherever it stands in a line that is too long to be held back", () => {
  for (const behind of [4080, 4090, 4096, 4100]) {
    const told: string[] = [];
    const stream = maskedStream(redactor([secret]), 10, (text) => told.push(text));
    stream.add(Buffer.from(`${"x".repeat(70_000)}${secret}${"y".repeat(behind)}`));
    stream.end();
    assert.equal(told.join(""), `${"x".repeat(70_000)}${mask}${"y".repeat(behind)}`);
  }
});

function streamed(bytes: Buffer, cuts: readonly number[]) {
  let told = "";
  const stream = maskedStream(redactor([secret]), 1000, (text) => {
    told += text;
  });
  const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
  for (const [at, from] of places.entries()) stream.add(bytes.subarray(from, places[at + 1] ?? bytes.length));
  const end = stream.end();
  return { told, end };
}
