import { once } from "node:events";
import { type Socket, connect, createServer } from "node:net";
import { protocolVersion, schemaVersion } from "../../src/surfaces/socket/protocol.ts";
import { asOwner } from "../../test/owners-host.ts";
import type { World } from "./world.ts";

/** Asks for everything, and reads nothing of it. */
export type Idle = (world: World) => Promise<Disposable>;

export const idleAt = { socket: idleAtSocket, http: idleAtHttp } as const;

async function idleAtSocket({ serving }: World): Promise<Disposable> {
  const { token } = serving;
  const hello = { protocol: protocolVersion, schema: schemaVersion, token, surface: "cli", terminal: {} };
  const wanted = { stream: 1, name: "events.follow", input: { of: "all", after: "start" }, left: false };
  const asked = [
    { id: 1, method: "hello", params: hello },
    { id: 2, method: "open", params: wanted },
    // It has room for everything, it says.
    ...Array.from({ length: 1000 }, () => ({ method: "credit", params: { stream: 1, more: 64 } })),
  ];
  return silent(connect(serving.socket), asked.map((one) => `${JSON.stringify(one)}\n`).join(""));
}

async function idleAtHttp({ http }: World): Promise<Disposable> {
  const { hostname, port, host } = new URL(http.origin);
  const head = `GET /api/events?after=start HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${http.key}\r\n\r\n`;
  return silent(connect(Number(port), hostname), head);
}

async function silent(socket: Socket, said: string): Promise<Disposable> {
  socket.pause();
  socket.on("error", () => {});
  await once(socket, "connect");
  await new Promise((resolve) => socket.write(said, resolve));
  return { [Symbol.dispose]: () => void socket.destroy() };
}

/** A door that writes whatever comes, whether somebody reads or not. As a control. */
export async function eagerDoor({ host }: World): Promise<{ readonly idle: Idle } & Disposable> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    const left = new AbortController();
    socket.on("close", () => left.abort());
    void (async () => {
      for await (const event of asOwner(host).call(
        "events.follow",
        { of: "all", after: "start" },
        left.signal,
      ))
        socket.write(`${JSON.stringify(event)}\n`);
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { readonly port: number };
  return {
    idle: () => silent(connect(port, "127.0.0.1"), "\n"),
    [Symbol.dispose]: () => void server.close(),
  };
}
