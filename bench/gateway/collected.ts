import { residentMiB } from "../codex/memory.ts";

/** What a Node process holds, from outside: its debugger is asked to collect first, so that what it need not hold is no part of it. */
export type Collected = Disposable & {
  sample(): Promise<{ readonly residentMiB: number; readonly objectsMiB: number }>;
};

/** `address`: where its debugger listens. */
export async function collected(address: string, pid: number): Promise<Collected> {
  const socket = new WebSocket(address);
  const waiting = new Map<number, (result: { readonly usedSize?: number }) => void>();
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: object };
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  // The process has ended: what is asked has no answer.
  socket.addEventListener("close", () => waiting.forEach((answer) => answer({})));
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve, { once: true });
    socket.addEventListener("error", reject, { once: true });
  });
  let last = 0;
  const ask = (method: string): Promise<{ readonly usedSize?: number }> =>
    new Promise((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      socket.send(JSON.stringify({ id: last, method }));
    });
  return {
    async sample() {
      await ask("HeapProfiler.collectGarbage");
      const { usedSize = Number.NaN } = await ask("Runtime.getHeapUsage");
      return { residentMiB: await residentMiB(pid), objectsMiB: usedSize / 1024 / 1024 };
    },
    [Symbol.dispose]: () => socket.close(),
  };
}
