import { lines } from "../../src/lib/rpc/jsonl.ts";
import type { Wire } from "../../src/runtimes/codex/process/process-wire.ts";
import type { Random } from "../random.ts";

/** The longest line that this codex may say. Small, so that longer ones do not cost the bench its memory. */
export const maxLineBytes = 256 * 1024;

/** A codex in memory that speaks in bytes. */
export type ByteWire = {
  readonly wire: Wire;
  /** Says the bytes in pieces of any size. Resolves when all are read, or nobody reads any more. */
  say(bytes: Buffer): Promise<void>;
  exit(): void;
  readonly kills: number;
};

export type ByteWireOptions = {
  readonly random: Random;
  readonly maxBytes: number;
  /** Before the connection sees it. */
  readonly onLine: (line: string) => string;
  readonly onWrite: (line: string) => void;
};

export function byteWire({ random, maxBytes, onLine, onWrite }: ByteWireOptions): ByteWire {
  const source = byteSource();
  const exited = Promise.withResolvers<Awaited<Wire["exited"]>>();
  let kills = 0;

  async function* said(): AsyncGenerator<string, void, undefined> {
    for await (const line of lines(source.chunks, { maxBytes })) yield onLine(line);
  }

  const exit = (): void => {
    source.end();
    exited.resolve({ code: 0, signal: null, stderrTail: "" });
  };

  return {
    wire: {
      lines: said(),
      async write(line) {
        onWrite(line);
      },
      exited: exited.promise,
      stderrTail: () => "",
      async kill() {
        kills += 1;
        exit();
      },
    },
    async say(bytes) {
      for (const chunk of cut(bytes, random)) source.push(chunk);
      await source.empty();
    },
    exit,
    get kills() {
      return kills;
    },
  };
}

/** Mostly as a pipe cuts, at times byte by byte. */
function* cut(bytes: Buffer, random: Random): Generator<Buffer> {
  const largest = random.pick([3, 100, 4096, 65_536]);
  let tiny = largest === 3 ? 300 : Infinity;
  for (let start = 0; start < bytes.length;) {
    const length = 1 + random.below(tiny > 0 ? largest : 65_536);
    tiny -= 1;
    yield bytes.subarray(start, start + length);
    start += length;
  }
}

function byteSource() {
  const waiting: Buffer[] = [];
  let ended = false;
  let more = Promise.withResolvers<void>();
  let read = Promise.withResolvers<void>();

  async function* chunks(): AsyncGenerator<Buffer, void, undefined> {
    try {
      for (;;) {
        for (let chunk = waiting.shift(); chunk !== undefined; chunk = waiting.shift()) yield chunk;
        read.resolve();
        if (ended) return;
        await more.promise;
      }
    } finally {
      ended = true;
      waiting.length = 0;
      read.resolve();
    }
  }

  return {
    chunks: chunks(),
    push(chunk: Buffer) {
      if (ended) return;
      waiting.push(chunk);
      more.resolve();
      more = Promise.withResolvers<void>();
    },
    /** Everything that was pushed is read. */
    empty(): Promise<void> {
      if (ended || waiting.length === 0) return Promise.resolve();
      read = Promise.withResolvers<void>();
      return read.promise;
    },
    end() {
      ended = true;
      more.resolve();
    },
  };
}
