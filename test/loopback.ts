import type { AddressInfo, Server } from "node:net";

export type Loopback = AsyncDisposable & {
  readonly port: number;
  /** `http://127.0.0.1:…`, without a slash at its end. */
  readonly origin: string;
};

/** Lets it listen on a free port of this machine, until it is disposed of: whoever is connected then is cut off. */
export async function onLoopback(server: Server & { closeAllConnections?(): void }): Promise<Loopback> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections?.();
      await closed;
    },
  };
}
