import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../test/seeded.ts";
import { readAnswer } from "./answer.ts";
import { chat } from "./chat/machine.ts";
import { chatFrames, chatWhole } from "./demo/chat-frames.ts";
import type { ReplyContext, StreamStep, Reply } from "./demo/reply.ts";
import { responsesFrames, responsesWhole } from "./demo/responses-frames.ts";
import type { Problem } from "./fault.ts";
import { responses } from "./responses/machine.ts";
import type { Wire, WireEvent, WireState } from "./wire.ts";

const about: ReplyContext = { id: "x", model: "demo", inputChars: 40 };
const reply: Reply = {
  content: [
    { kind: "reasoning", summary: ["Hm.", "So."], raw: "" },
    { kind: "text", text: "Größe 🙂\u2028" },
    { kind: "call", tool: "read_file", args: '{"path":"ü"}' },
    { kind: "call", tool: "read_file", args: '{"path":"b"}' },
  ],
};

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const framesOf = (beats: Iterable<StreamStep>): string =>
  [...beats].map((beat) => (beat === "hang" ? "" : beat.frame)).join("");

const broken = (error: Error): Problem => ({ kind: "cut", error });

type Reading = { readonly events: readonly WireEvent[]; readonly heard: number };

/** Reads a body that comes in these chunks, and then breaks if an error is given. */
async function read<State extends WireState>(
  wire: Wire<State>,
  chunks: readonly Uint8Array[],
  error?: Error,
): Promise<Reading> {
  let heard = 0;
  const idle = { touch: () => void heard++, pause() {}, resume() {}, setLimit() {}, [Symbol.dispose]() {} };
  async function* body(): AsyncGenerator<Uint8Array, void, void> {
    yield* chunks;
    if (error !== undefined) throw error;
  }
  return { events: await Array.fromAsync(readAnswer(wire, body(), idle, broken)), heard };
}

function cutAt(bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] {
  const edges = [
    0,
    ...places.filter((place) => place < bytes.length).toSorted((a, b) => a - b),
    bytes.length,
  ];
  return edges.slice(1).map((end, at) => bytes.subarray(edges[at], end));
}

const callsOf = (events: readonly WireEvent[]) =>
  events.flatMap((event) => (event.type === "item" && event.item.kind === "call" ? [event.item] : []));

function answersOf<State extends WireState>(wire: Wire<State>, streamed: string, whole: object): void {
  const stream = bytesOf(streamed);

  test("says the same however the bytes are cut", async () => {
    for (const bytes of [stream, bytesOf(JSON.stringify(whole))]) {
      const { events } = await read(wire, [bytes]);
      assert.equal(events.at(-1)?.type, "completed");
      assert.equal(callsOf(events).length, 2);
      const places = fc.array(fc.nat(bytes.length), { maxLength: 12 });
      const same = fc.asyncProperty(places, async (at) =>
        assert.deepEqual((await read(wire, cutAt(bytes, at))).events, events),
      );
      await fc.assert(same, { numRuns: 50 });
    }
  });

  test("ends once wherever the connection breaks, and never says half a call", async () => {
    const calls = callsOf((await read(wire, [stream])).events);
    for (let end = 0; end < stream.length; end += 5) {
      for (const error of [undefined, new Error("reset")]) {
        const { events } = await read(wire, [stream.subarray(0, end)], error);
        const said = callsOf(events);
        assert.deepEqual(said, calls.slice(0, said.length), `broken after ${end} bytes`);
        const ends = events.filter(({ type }) => type === "completed" || type === "problem");
        assert.deepEqual(ends, events.slice(-1));
      }
    }
  });

  test("is over with its last event, whatever comes after it", async () => {
    const { events } = await read(wire, [stream]);
    assert.deepEqual((await read(wire, [stream], new Error("reset"))).events, events);
    assert.deepEqual((await read(wire, [stream, stream])).events, events);
  });

  test("counts keep-alives as silence", async () => {
    const ping = bytesOf(': ping\n\ndata: {"type":"response.in_progress","choices":[]}\n\nevent: x\n\n');
    assert.equal((await read(wire, [ping, ping, ping])).heard, 0);
    assert.ok((await read(wire, cutAt(stream, [200, 600]))).heard > 0);
  });

  test("takes white space and a byte order mark before a whole answer", async () => {
    const { events } = await read(wire, [
      bytesOf("\uFEFF"),
      bytesOf(" \r\n"),
      bytesOf(JSON.stringify(whole)),
    ]);
    assert.equal(events.at(-1)?.type, "completed");
  });

  test("takes a byte order mark before a stream, also one cut in two", async () => {
    const { events } = await read(wire, [stream]);
    const marked = bytesOf(`\uFEFF${streamed}`);
    for (const at of [0, 1, 2, 3])
      assert.deepEqual((await read(wire, cutAt(marked, [at]))).events, events, `cut at ${at}`);
  });

  test("cannot use an empty body, a web page or half a JSON text", async () => {
    for (const [text, kind] of [
      ["", "cut"],
      [" <!doctype html>", "unreadable"],
      ['{"output":[', "unreadable"],
    ] as const)
      assert.partialDeepStrictEqual((await read(wire, [bytesOf(text)])).events, [{ problem: { kind } }]);
  });
}

describe("an answer by the Responses API", () => {
  answersOf(responses, framesOf(responsesFrames(reply, about)), responsesWhole(reply, about));
});

describe("an answer by Chat Completions", () => {
  const streamed = framesOf(chatFrames(reply, about));
  answersOf(chat, streamed, chatWhole(reply, about));

  test("is whole after its finish reason, whatever happens then", async () => {
    const upToFinish = streamed.slice(0, streamed.lastIndexOf("data: {"));
    const { events } = await read(chat, [bytesOf(upToFinish)], new Error("reset"));
    assert.equal(events.at(-1)?.type, "completed");
    assert.equal(callsOf(events).length, 2);
  });
});
