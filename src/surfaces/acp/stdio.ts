import type { Readable, Writable } from "node:stream";
import { DEFAULT_MAX_MESSAGE_BYTES, type Stream, ndJsonStream } from "@agentclientprotocol/sdk";
import { cappedLines, idInHead } from "../../lib/rpc/capped-lines.ts";
import { deepestJson, isTooDeep } from "../../lib/rpc/json-depth.ts";
import type { Clock } from "../../lib/clock.ts";

type Pipes = { readonly stdin: Readable; readonly stdout: Writable };

export type StdioOptions = {
  readonly maxBytes?: number;
  readonly clock: Clock;
  readonly log: (line: string) => void;
};

/**
 * The protocol over our own pipes. The library ends a connection at a line that is too long, and at one that is nested so
 * deep that it cannot be walked through; here both are answered with an error and the connection goes on.
 */
export function stdioStream(
  { stdin, stdout }: Pipes,
  { maxBytes = DEFAULT_MAX_MESSAGE_BYTES, clock, log }: StdioOptions,
): Stream {
  const refuse = (head: string, why: string, next: string): void => {
    log(`a message of the editor is ${why} and was not read`);
    const error = { code: -32_600, message: `The message is ${why} and was not read. ${next}` };
    stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: idInHead(head), error })}\n`);
  };
  const tooLong = (head: string): void => refuse(head, `longer than ${maxBytes} bytes`, "Send less at once.");
  const tooDeep = (line: string): void =>
    refuse(line, `nested deeper than ${deepestJson} levels`, "Send it flatter.");
  withoutTrace(() => new WritableStream().getWriter().releaseLock());
  const output = new WritableStream<Uint8Array>({
    write: (bytes) =>
      new Promise((resolve, reject) => {
        stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
  });
  const input = ReadableStream.from(
    oneByOne(flatLines(cappedLines(stdin, maxBytes, tooLong), tooDeep), clock),
  );
  return ndJsonStream(output, input, { maxMessageBytes: maxBytes });
}

/**
 * Node makes an error with the first writer that is given back, which the library does with every message, and reads its trace: to name
 * our files in one takes longer than the whole introduction.
 */
function withoutTrace(act: () => void): void {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    act();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

async function* flatLines(
  lines: AsyncIterable<Uint8Array>,
  tooDeep: (line: string) => void,
): AsyncGenerator<Uint8Array> {
  for await (const line of lines) {
    const text = Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString("latin1");
    if (isTooDeep(text)) tooDeep(text);
    else yield line;
  }
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
