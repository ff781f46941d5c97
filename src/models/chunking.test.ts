import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../test/seeded.ts";
import { readAnswer } from "./answer.ts";
import { chat } from "./chat/machine.ts";
import { parseDemoScript } from "../../test/fakes/demo-script.ts";
import { startDemoModel } from "../../test/fakes/demo-model.ts";
import { systemClock } from "../lib/clock.ts";
import { kits } from "./matrix/kit.suite.ts";
import { rows } from "./matrix/rows.suite.ts";
import type { Route } from "./model.ts";
import { responses } from "./responses/machine.ts";
import type { Wire, WireEvent, WireState } from "./wire.ts";

const protocols = ["responses", "chat"] as const;

const longest = 200_000;

/** What the matrix's servers put on the wire, byte for byte. */
function written(protocol: Route["protocol"]): readonly Uint8Array[] {
  const replies = rows.flatMap((row) => row.raw?.(kits[protocol]) ?? []);
  return replies
    .filter(({ status = 200, headers }) => status === 200 && headers?.["content-encoding"] === undefined)
    .map(({ body = "" }) => Buffer.from(body))
    .filter((bytes) => bytes.length <= longest);
}

const word = fc.string({ unit: "grapheme", maxLength: 30 });
const part = fc.oneof(
  fc.record({ text: word, chunks: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ reasoning: fc.record({ summary: fc.array(word, { maxLength: 3 }), raw: word }) }),
  fc.record({ call: fc.record({ tool: fc.constantFrom("t", "u"), args: fc.jsonValue() }) }),
  fc.record({ custom: fc.record({ tool: fc.constant("t"), input: word }) }),
  fc.constant({ malformed: true }),
  fc.constant({ noCompleted: true }),
  fc.constant({ whole: true }),
  fc.constant({ wrongFirst: "codex.rate_limits" }),
  fc.record({ errorFrame: fc.record({ code: word, message: word }) }),
);
const scripts = fc.sample(fc.array(part, { minLength: 1, maxLength: 6 }), { numRuns: 60, seed: 5 });

/** What the demo model answers to many scripts. */
async function recorded(protocol: Route["protocol"]): Promise<readonly Uint8Array[]> {
  const script = parseDemoScript({ steps: scripts.map((reply) => ({ reply })), maxRequests: 100 });
  await using demo = await startDemoModel({ clock: systemClock, script });
  const path = protocol === "chat" ? "/chat/completions" : "/responses";
  const streams: Uint8Array[] = [];
  for (const _ of scripts) {
    const response = await fetch(demo.url + path, { method: "POST", body: '{"stream":true}' });
    streams.push(new Uint8Array(await response.arrayBuffer()));
  }
  return streams;
}

const noIdle = { touch() {}, pause() {}, resume() {}, setLimit() {}, [Symbol.dispose]() {} };

function read<State extends WireState>(
  wire: Wire<State>,
  chunks: readonly Uint8Array[],
): Promise<readonly WireEvent[]> {
  async function* body(): AsyncGenerator<Uint8Array, void, void> {
    yield* chunks;
  }
  return Array.fromAsync(readAnswer(wire, body(), noIdle, (error) => ({ kind: "cut", error })));
}

const readAs = (protocol: Route["protocol"], chunks: readonly Uint8Array[]): Promise<readonly WireEvent[]> =>
  protocol === "chat" ? read(chat, chunks) : read(responses, chunks);

function cutAt(bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] {
  const edges = [
    0,
    ...places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b),
    bytes.length,
  ];
  return edges.slice(1).map((end, at) => bytes.subarray(edges[at], end));
}

async function sameHoweverCut(
  protocol: Route["protocol"],
  streams: readonly Uint8Array[],
  numRuns: number,
): Promise<void> {
  const known = await Promise.all(streams.map((bytes) => readAs(protocol, [bytes])));
  const places = fc.array(fc.nat(longest), { maxLength: 40 });
  const property = fc.asyncProperty(fc.nat(streams.length - 1), places, async (at, cuts) => {
    const bytes = streams[at] ?? assert.fail();
    assert.deepEqual(await readAs(protocol, cutAt(bytes, cuts)), known[at]);
  });
  await fc.assert(property, { numRuns });
  for (const [at, bytes] of streams.entries()) {
    if (bytes.length > 1500) continue;
    const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
    assert.deepEqual(await readAs(protocol, single), known[at], "byte by byte");
  }
}

for (const protocol of protocols) {
  describe(`a recorded stream of ${protocol}`, () => {
    test("by the demo model says the same however it is cut", async () => {
      const streams = await recorded(protocol);
      assert.equal(streams.length, 60);
      await sameHoweverCut(protocol, streams, 400);
    });

    test("written by hand says the same however it is cut", async () => {
      const streams = written(protocol);
      assert.ok(streams.length > 60);
      await sameHoweverCut(protocol, streams, 400);
    });
  });
}
