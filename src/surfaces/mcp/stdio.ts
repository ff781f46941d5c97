import type { Readable, Writable } from "node:stream";
import { type JSONRPCMessage, type Transport, parseJSONRPCMessage } from "@modelcontextprotocol/server";
import { isPlainObject } from "../../core/json.ts";
import { cappedLines, idInHead } from "../../lib/rpc/capped-lines.ts";
import { systemClock } from "../../lib/clock.ts";
import { deepestJson, isTooDeep } from "../../lib/rpc/json-depth.ts";

type Pipes = { readonly stdin: Readable; readonly stdout: Writable };

export type StdioOptions = {
  readonly maxBytes?: number;
  readonly log: (line: string) => void;
  /** The client sends nothing more, no answer to a question either. What it asked before is still answered. */
  readonly onInputEnd: () => void;
};

/** No arguments of a tool come near it. */
const longestMessage = 10 * 1024 * 1024;
/** How often it is looked whether somebody waits for the last answers. */
const probeMs = 1000;

/**
 * The protocol over our own pipes. The library ends the connection at a line that is too long, and says nothing to one
 * that is no message; here both are answered with an error, and the connection goes on.
 */
export function stdioTransport(
  { stdin, stdout }: Pipes,
  { maxBytes = longestMessage, log, onInputEnd }: StdioOptions,
): Transport {
  const gone = new AbortController();
  const waiting = pendingAnswers();
  const transport: Transport = {
    async start() {
      stdout.on("error", over);
      void read();
    },
    send: (message) => write(message).finally(() => waiting.sent(message)),
    async close() {
      over();
    },
  };
  return transport;

  function tooLong(head: string): void {
    refuse(idInHead(head), -32_600, `The message is longer than ${maxBytes} bytes and was not read.`);
  }

  async function read(): Promise<void> {
    try {
      for await (const line of cappedLines(stdin, maxBytes, tooLong)) {
        if (gone.signal.aborted) return;
        take(Buffer.from(line).toString("utf8").trim());
      }
    } catch (error) {
      if (gone.signal.aborted) return;
      log(`the client's messages cannot be read any more: ${String(error)}`);
    }
    onInputEnd();
    void waiting.settled().then(over);
    await probeReader(stdout, gone.signal);
  }

  function take(line: string): void {
    if (line === "") return;
    const message = messageIn(line);
    if ("refused" in message) return refuse(message.id, message.code, message.refused);
    waiting.received(message.message);
    transport.onmessage?.(message.message);
  }

  function refuse(id: string | number | null, code: number, message: string): void {
    log(`a message of the client was not taken: ${message}`);
    void write({ jsonrpc: "2.0", id, error: { code, message } }).catch(() => {});
  }

  function write(message: object): Promise<void> {
    if (gone.signal.aborted) return Promise.reject(new Error("the client has left"));
    return new Promise((resolve, reject) => {
      stdout.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  function over(): void {
    if (gone.signal.aborted) return;
    gone.abort();
    transport.onclose?.();
  }
}

/** Who was killed reads no more, and that shows only when we write: a blank, which is nothing before a message. */
async function probeReader(stdout: Writable, gone: AbortSignal): Promise<void> {
  while (!gone.aborted) {
    await systemClock.sleep(probeMs, gone, { hold: true }).catch(() => {});
    if (!gone.aborted) stdout.write(" ");
  }
}

type ParsedLine =
  | { readonly message: JSONRPCMessage }
  | { readonly refused: string; readonly code: number; readonly id: string | number | null };

function messageIn(line: string): ParsedLine {
  if (isTooDeep(line)) {
    const refused = `The message is nested deeper than ${deepestJson} levels and was not read. Send it flatter.`;
    return { refused, code: -32_600, id: idInHead(line) };
  }
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { refused: "The line is not JSON.", code: -32_700, id: null };
  }
  if (Array.isArray(value))
    return { refused: "Send messages one by one, each in a line of its own.", code: -32_600, id: null };
  try {
    return { message: parseJSONRPCMessage(value) };
  } catch {
    return { refused: "The line is not a JSON-RPC 2.0 message.", code: -32_600, id: idOf(value) };
  }
}

function idOf(value: unknown): string | number | null {
  const id = isPlainObject(value) ? value["id"] : undefined;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

/** Who has closed their end may still read: what was asked before is answered. */
function pendingAnswers() {
  const open = new Set<string | number>();
  let done: (() => void) | undefined;
  const settle = (id: unknown): void => {
    open.delete(id as string | number);
    if (open.size === 0) done?.();
  };
  return {
    received(message: JSONRPCMessage): void {
      if (!("method" in message)) return;
      if ("id" in message) open.add(message.id);
      // Then there will be no answer.
      if (message.method === "notifications/cancelled") settle(message.params?.["requestId"]);
    },
    sent(message: JSONRPCMessage): void {
      if (!("method" in message)) settle(message.id);
    },
    settled: (): Promise<void> =>
      new Promise((resolve) => {
        done = resolve;
        if (open.size === 0) resolve();
      }),
  };
}
