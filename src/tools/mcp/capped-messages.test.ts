import assert from "node:assert/strict";
import { test } from "node:test";
import { cappedMessages } from "./address-link.ts";

const through = async (...chunks: readonly string[]): Promise<string> => {
  const source = ReadableStream.from(chunks.map((chunk) => new TextEncoder().encode(chunk)));
  return new Response(source.pipeThrough(cappedMessages(12))).text();
};

test("any number of short messages pass, however they are cut into pieces", async () => {
  const events = "data: a\n\n".repeat(50);
  assert.equal(await through(events), events);
  assert.equal(await through(...events), events);
  assert.equal(await through("data: a\r\n\r", "\ndata: b\r\n\r\n"), "data: a\r\n\r\ndata: b\r\n\r\n");
});

test("a message that is too long breaks the stream, on one line or on many", async () => {
  await assert.rejects(through("data: ", "0123456789"), /longer than 12 bytes/);
  await assert.rejects(through("a\nb\nc\nd\ne\nf\ng\n"), /longer than 12 bytes/);
});
