import { readFile, rm, writeFile } from "node:fs/promises";
import { type Server, type Socket, connect, createServer } from "node:net";
import { join } from "node:path";
import { once } from "node:events";

/** Stands between clients and a host, and sees every line that the host says. */
export type FrameProxy = AsyncDisposable & { frames(): number };

/** `onFrame`: before the line goes on; `false`: it does not go on, and nothing more does. */
export async function frameProxy(home: string, onFrame: (number: number) => boolean): Promise<FrameProxy> {
  const file = join(home, "run", "serve.json");
  const serving = JSON.parse(await readFile(file, "utf8")) as { socket: string };
  const path = join(home, "run", "p.sock");
  await rm(path, { force: true });
  let count = 0;
  let isOver = false;
  const sockets = new Set<Socket>();
  const server: Server = createServer((client) => {
    const host = connect(serving.socket);
    for (const one of [client, host]) {
      sockets.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        client.destroy();
        host.destroy();
      });
    }
    client.on("data", (bytes) => void host.write(bytes));
    let rest = "";
    host.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (isOver) return;
        isOver = !onFrame((count += 1));
        if (!isOver) client.write(`${line}\n`);
      }
    });
  });
  server.listen(path);
  await once(server, "listening");
  await writeFile(file, JSON.stringify({ ...serving, socket: path }));
  return {
    frames: () => count,
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await rm(path, { force: true });
    },
  };
}
