import { createSocket } from "node:dgram";
import { createServer } from "node:http";
import { onLoopback } from "../../test/loopback.ts";

/** Servers on loopback that nobody should reach. */
export type Canary = AsyncDisposable & {
  readonly url: string;
  readonly port: number;
  /** What came since the last look. */
  hits(): readonly string[];
};

export async function startCanary(): Promise<Canary> {
  let hits: string[] = [];
  const server = createServer((request, response) => {
    hits.push(request.url ?? "");
    response.end("reached");
  });
  const socket = createSocket("udp4", () => hits.push("a datagram"));
  const bound = await onLoopback(server);
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return {
    url: bound.origin,
    port: socket.address().port,
    hits() {
      const found = hits;
      hits = [];
      return found;
    },
    async [Symbol.asyncDispose]() {
      socket.close();
      await bound[Symbol.asyncDispose]();
    },
  };
}
