import type { Readable, Writable } from "node:stream";
import { DEFAULT_MAX_MESSAGE_BYTES, type Stream, ndJsonStream } from "@agentclientprotocol/sdk";
import { cappedLines, idInHead } from "../../lib/capped-lines.ts";
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
    stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: idInHead(head), error })}\n`);
  };
  const output = new WritableStream<Uint8Array>({
    write: (bytes) =>
      new Promise((resolve, reject) => {
        stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
  });
  const input = ReadableStream.from(oneByOne(cappedLines(stdin, maxBytes, tooLong), clock));
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
