import type { Socket } from "node:net";
import { lines } from "../../lib/rpc/jsonl.ts";
import { type RpcPeer, type RpcPeerOptions, rpcPeer } from "../../lib/rpc/rpc-peer.ts";

/** While the other end does not take what was written to it. Settles also when it goes. */
export function drainOf(socket: Socket): () => Promise<void> | undefined {
  let draining: Promise<void> | undefined;
  return () => {
    if (draining !== undefined || !socket.writableNeedDrain || socket.destroyed) return draining;
    const { promise, resolve } = Promise.withResolvers<void>();
    const over = (): void => {
      draining = undefined;
      socket.off("drain", over).off("close", over);
      resolve();
    };
    socket.on("drain", over).on("close", over);
    return (draining = promise);
  };
}

/** One end of a conversation over a socket. When either is over, the other is, too. */
export function socketPeer(socket: Socket, handlers: Omit<RpcPeerOptions, "input" | "write">): RpcPeer {
  const peer = rpcPeer({ ...handlers, input: lines(socket), write: (line) => void socket.write(line) });
  socket.on("error", (error) => peer.close(error));
  void peer.closed.then(() => socket.destroy());
  return peer;
}
