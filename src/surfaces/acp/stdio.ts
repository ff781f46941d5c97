import type { Readable, Writable } from "node:stream";
import { DEFAULT_MAX_MESSAGE_BYTES, type Stream, ndJsonStream } from "@agentclientprotocol/sdk";
import type { Clock } from "../../lib/clock.ts";

type Ends = { readonly stdin: Readable; readonly stdout: Writable };

export type StdioOptions = {
  readonly maxBytes?: number;
  readonly clock: Clock;
  readonly log: (line: string) => void;
};

/**
 * The protocol over our own pipes. The library ends a connection at a line that is too long; here it is answered with
 * an error and the connection goes on.
 */
export function stdioStream(
  { stdin, stdout }: Ends,
  { maxBytes = DEFAULT_MAX_MESSAGE_BYTES, clock, log }: StdioOptions,
): Stream {
  const tooLong = (head: string): void => {
    log(`a message of the editor is longer than ${maxBytes} bytes and was not read`);
    const message = `The message is longer than ${maxBytes} bytes and was not read. Send less at once.`;
    const error = { code: -32_600, message };
    stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: idIn(head), error })}\n`);
  };
  const output = new WritableStream<Uint8Array>({
    write: (bytes) =>
      new Promise((resolve, reject) => {
        stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
  });
  const input = ReadableStream.from(oneByOne(wholeLines(stdin, maxBytes, tooLong), clock));
  return ndJsonStream(output, input, { maxMessageBytes: maxBytes });
}

/**
 * The library looks for the handler of a message step by step, so that of two messages at once the second may be
 * handled first: a Stop would stop the prompt behind it. Each is begun before the next one comes.
 */
async function* oneByOne(lines: AsyncIterable<Uint8Array>, clock: Clock): AsyncGenerator<Uint8Array> {
  for await (const line of lines) {
    yield line;
    // Nothing else may be waiting just then, and the process must not end of it.
    await clock.sleep(0, undefined, { hold: true });
  }
}

/** Lines up to the limit, each whole and with its LF. Of a longer one, its beginning is told and nothing is kept. */
async function* wholeLines(
  source: AsyncIterable<Buffer>,
  maxBytes: number,
  tooLong: (head: string) => void,
): AsyncGenerator<Uint8Array> {
  let held: Buffer[] = [];
  let length = 0;
  let skipping = false;
  for await (const chunk of source) {
    let start = 0;
    while (start < chunk.length) {
      const found = chunk.indexOf(0x0a, start);
      const end = found === -1 ? chunk.length : found + 1;
      const piece = chunk.subarray(start, end);
      start = end;
      length += piece.length;
      if (!skipping) held.push(piece);
      if (!skipping && length > maxBytes) {
        skipping = true;
        tooLong(headOf(held));
        held = [];
      }
      if (found === -1) continue;
      if (!skipping) yield held.length === 1 ? piece : Buffer.concat(held);
      [held, length, skipping] = [[], 0, false];
    }
  }
  if (held.length > 0) yield Buffer.concat(held);
}

const headBytes = 256;

function headOf(pieces: readonly Buffer[]): string {
  let head = "";
  for (const piece of pieces) {
    head += piece.toString("latin1", 0, headBytes);
    if (head.length >= headBytes) break;
  }
  return head;
}

/** Every library writes the id before the parameters; without it the sender would wait for ever. */
function idIn(head: string): string | number | null {
  const found =
    /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?(?:"method"\s*:\s*"[\w/$]+"\s*,\s*)?"id"\s*:\s*(?:(\d{1,15})|"([\w-]{1,100})")\s*,/.exec(
      head,
    );
  if (found?.[1] !== undefined) return Number(found[1]);
  return found?.[2] ?? null;
}
