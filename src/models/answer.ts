import type { Problem } from "./fault.ts";
import type { IdleWatch } from "./idle.ts";
import { sseDecoder, type SseFrame } from "./sse.ts";
import type { Wire, WireEvent, WireState } from "./wire.ts";

const mebibyte = 1024 * 1024;
const largest = 32;
/** How long an answer that is whole waits for what it cost, and for its proper end. */
const closingMs = 5000;

/**
 * The body of a good answer as events: a stream of frames, or one JSON text from a server that does not stream.
 * A body that breaks off is `brokenBy` its error, unless what came before it is a whole answer.
 */
export async function* readAnswer<State extends WireState>(
  wire: Wire<State>,
  body: AsyncIterable<Uint8Array>,
  idle: IdleWatch,
  brokenBy: (error: Error) => Problem,
): AsyncGenerator<WireEvent, void, void> {
  const reader = bodyReader(wire, idle);
  let bytes = 0;
  for await (const chunk of chunksOrError(body)) {
    if (chunk instanceof Error) return yield* unlessCompleted(reader.end(), brokenBy(chunk));
    bytes += chunk.length;
    if (bytes > largest * mebibyte) return yield problem({ kind: "too_big", mebibytes: largest });
    for (const event of reader.feed(chunk)) {
      yield event;
      if (isLast(event)) return;
    }
  }
  yield* reader.end();
}

async function* chunksOrError(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array | Error, void, void> {
  try {
    yield* body;
  } catch (error) {
    yield error instanceof Error ? error : new Error(String(error));
  }
}

/** A connection that breaks after the answer is complete does not make it a failure. */
const unlessCompleted = (last: readonly WireEvent[], trouble: Problem): readonly WireEvent[] =>
  last.some(({ type }) => type === "completed") ? last : [problem(trouble)];

const isLast = ({ type }: WireEvent): boolean => type === "completed" || type === "problem";

type Reader = {
  feed(bytes: Uint8Array): readonly WireEvent[];
  end(): readonly WireEvent[];
};

/** The first byte that is not white space decides, because content types are often wrong. */
function bodyReader<State extends WireState>(wire: Wire<State>, idle: IdleWatch): Reader {
  let chosen: Reader | undefined;
  let mark: readonly number[] = [];
  return {
    feed(bytes) {
      if (chosen !== undefined) return chosen.feed(bytes);
      const first = bytes.find((byte) => !ignorable.has(byte));
      if (first === undefined) {
        // A byte order mark may be cut in two, and only the decoder knows what half of one is.
        mark = [...mark, ...bytes.filter((byte) => byte > 0x7f)].slice(0, 3);
        return [];
      }
      chosen = readerFor(first, wire, idle);
      return chosen.feed(Buffer.concat([Uint8Array.from(mark), bytes]));
    },
    end: () => chosen?.end() ?? wire.end(wire.start),
  };
}

/** White space, and the bytes of a byte order mark. */
const ignorable: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

function readerFor<State extends WireState>(first: number, wire: Wire<State>, idle: IdleWatch): Reader {
  const character = String.fromCharCode(first);
  if (character === "{" || character === "[") return jsonReader(wire, idle);
  if (character === "<") return pageReader;
  return frameReader(wire, idle);
}

function frameReader<State extends WireState>(wire: Wire<State>, idle: IdleWatch): Reader {
  const decoder = sseDecoder();
  let state = wire.start;
  function take(frames: readonly SseFrame[]): readonly WireEvent[] {
    const before = state.advanced;
    const events = frames.flatMap((frame) => {
      const [next, stepEvents] = wire.step(state, frame);
      state = next;
      return stepEvents;
    });
    if (state.advanced !== before) idle.touch();
    if (state.closing === true) idle.setLimit(closingMs);
    return events;
  }
  return {
    feed: (bytes) => take(decoder.feed(bytes)),
    end: () => [...take(decoder.end()), ...wire.end(state)],
  };
}

function jsonReader<State extends WireState>(wire: Wire<State>, idle: IdleWatch): Reader {
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  return {
    feed(bytes) {
      idle.touch();
      pieces.push(decoder.decode(bytes, { stream: true }));
      return [];
    },
    end() {
      try {
        return wire.whole(JSON.parse(pieces.join("") + decoder.decode()));
      } catch {
        return [problem({ kind: "unreadable", what: "JSON that breaks off or is not valid" })];
      }
    },
  };
}

const pageReader: Reader = {
  feed: () => [problem({ kind: "unreadable", what: "a web page" })],
  end: () => [],
};

const problem = (what: Problem): WireEvent => ({ type: "problem", problem: what });
