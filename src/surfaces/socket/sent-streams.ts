import type { RpcPeer } from "../../lib/rpc/rpc-peer.ts";
import { streamCredit, wantsReceipt, wireFailure } from "./protocol.ts";

/**
 * The streams that go out over one connection. Each is read only as far as the other end has room for it, and has taken what was
 * sent.
 */
export type SentStreams = {
  /** `left`: the other end has left before it began. */
  open(id: number, start: (signal: AbortSignal) => AsyncIterable<unknown>, left: boolean): void;
  /** The other end has taken so many. */
  credit(id: number, more: number): void;
  /** The other end wants it to end, and hears how it does. */
  stop(id: number): void;
  /** The other end wants no more of it. */
  leave(id: number): void;
  /** Nobody is there any more. */
  end(): void;
};

type Stream = {
  room: number;
  readonly stopped: AbortController;
  readonly left: AbortController;
  more: PromiseWithResolvers<void>;
};

/** `drained`: while more waits to be taken than it should; settles also when nobody is there any more. */
export function sentStreams(
  peer: Pick<RpcPeer, "notify">,
  drained: () => Promise<void> | undefined = () => undefined,
): SentStreams {
  const streams = new Map<number, Stream>();
  const leave = (id: number): void => {
    const stream = streams.get(id);
    streams.delete(id);
    stream?.left.abort();
    stream?.stopped.abort();
    stream?.more.resolve();
  };

  async function send(id: number, stream: Stream, values: AsyncIterable<unknown>): Promise<void> {
    let number = 0;
    for await (const value of values) {
      if (stream.left.signal.aborted) return;
      peer.notify("next", { stream: id, number: (number += 1), value });
      stream.room -= 1;
      await drained();
      const wanted = wantsReceipt(value) ? streamCredit : 1;
      while (stream.room < wanted && !stream.left.signal.aborted) {
        await stream.more.promise;
        stream.more = Promise.withResolvers();
      }
    }
  }

  return {
    open(id, start, left) {
      if (streams.has(id)) return;
      const stream = {
        room: streamCredit,
        stopped: new AbortController(),
        left: new AbortController(),
        more: Promise.withResolvers<void>(),
      };
      streams.set(id, stream);
      if (left) stream.left.abort();
      if (left) stream.stopped.abort();
      void send(id, stream, start(stream.stopped.signal))
        .then(
          () => peer.notify("end", { stream: id }),
          (error: unknown) => peer.notify("end", { stream: id, failure: wireFailure(error) }),
        )
        .finally(() => leave(id));
    },
    credit(id, more) {
      const stream = streams.get(id);
      if (stream === undefined || !Number.isSafeInteger(more) || more < 1) return;
      stream.room = Math.min(streamCredit, stream.room + more);
      if (stream.room > 0) stream.more.resolve();
    },
    stop: (id) => streams.get(id)?.stopped.abort(),
    leave,
    end() {
      for (const id of streams.keys()) leave(id);
    },
  };
}
