import type { ConnectOverCDPTransport } from "playwright-core";
import type { Child } from "../../lib/process/child.ts";

/** A page can make the browser say much, but not so much that we run out of memory. */
const longestMessage = 256 * 1024 * 1024;

/**
 * Chromium's debugging protocol over a child's input and output: JSON texts with a zero byte after each. No port is
 * open that other programs could speak to, and a Chromium whose pipe ends, as when we are killed, ends by itself.
 */
export function cdpPipe(child: Pick<Child, "write" | "closeInput" | "stdout">): ConnectOverCDPTransport {
  const transport: ConnectOverCDPTransport = {
    send(message) {
      child.write(`${JSON.stringify(message)}\0`).catch(() => void child.closeInput());
    },
    close: () => void child.closeInput(),
  };
  void read(child.stdout, transport).catch(() => void child.closeInput());
  return transport;
}

async function read(source: AsyncIterable<Uint8Array>, transport: ConnectOverCDPTransport): Promise<void> {
  try {
    for await (const text of texts(source)) transport.onmessage?.(JSON.parse(text) as object);
  } finally {
    transport.onclose?.("The browser has ended.");
  }
}

/** What stands before each zero byte. */
export async function* texts(
  source: AsyncIterable<Uint8Array>,
  longest = longestMessage,
): AsyncGenerator<string, void, void> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source) {
    let from = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, from)) {
      yield Buffer.concat([...waiting, chunk.subarray(from, end)]).toString("utf8");
      waiting = [];
      size = 0;
      from = end + 1;
    }
    waiting.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > longest) throw new Error(`The browser sent a message of more than ${longest} bytes.`);
  }
}
