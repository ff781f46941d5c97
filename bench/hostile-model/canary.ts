import { createSocket } from "node:dgram";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

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
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    port: socket.address().port,
    hits() {
      const found = hits;
      hits = [];
      return found;
    },
    async [Symbol.asyncDispose]() {
      socket.close();
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}
