import type { RpcPeer } from "../../lib/rpc/rpc-peer.ts";
import { failureError, isWireFailure, streamCredit, wantsReceipt } from "./protocol.ts";

/** The streams that come in over one connection. */
export type TakenStreams = {
  /** Begins with this call. Throws `PeerClosedError` when the connection ends before it does. */
  open(name: string, input: unknown, signal: AbortSignal | undefined): AsyncIterableIterator<unknown>;
  /** A message of the other end. */
  take(method: string, params: unknown): void;
  /** Says something to whoever reads streams of this name, by what they asked for. How many there are. */
  say(name: string, word: (input: unknown) => unknown): number;
};

type Stream = {
  readonly name: string;
  readonly input: unknown;
  /** `room`: what taking it makes. */
  readonly unread: { readonly value: unknown; readonly room: 0 | 1 }[];
  /** Whoever asked may live longer than what was asked for. */
  readonly forget: () => void;
  over?: { readonly error?: unknown };
  wake: PromiseWithResolvers<void>;
};

/** Whoever stops one of these still hears how it ended. */
const endsWithAWord: ReadonlySet<string> = new Set(["shell.run"]);

export function takenStreams(peer: RpcPeer): TakenStreams {
  const streams = new Map<number, Stream>();
  let last = 0;
  const end = (stream: Stream, error?: unknown): void => {
    stream.over ??= { error };
    stream.forget();
    stream.wake.resolve();
  };
  const endAll = async (): Promise<void> => {
    const error = await peer.closed;
    for (const stream of streams.values()) end(stream, error);
  };
  void endAll();
  return {
    open(name, input, signal) {
      const id = (last += 1);
      const stream: Stream = {
        name,
        input,
        unread: [],
        wake: Promise.withResolvers(),
        forget: () => signal?.removeEventListener("abort", onAbort),
      };
      streams.set(id, stream);
      const leave = (): void => {
        if (streams.delete(id)) peer.notify("leave", { stream: id });
        end(stream);
        stream.unread.length = 0;
      };
      const stop = (): void => peer.notify("stop", { stream: id });
      const onAbort = endsWithAWord.has(name) ? stop : leave;
      // Whoever has left already still hears why it could not have begun.
      const left = signal?.aborted === true;
      begin(peer, { stream: id, name, input, left }, (error) => end(stream, error));
      signal?.addEventListener("abort", onAbort, { once: true });
      return reading(stream, leave, (more) => peer.notify("credit", { stream: id, more }));
    },
    take(method, params) {
      const { stream: id, value, failure } = params as Record<string, unknown>;
      const stream = streams.get(Number(id));
      if (stream === undefined) return;
      if (method === "next") stream.unread.push({ value, room: 1 });
      if (method === "end") {
        streams.delete(Number(id));
        end(stream, isWireFailure(failure) ? failureError(failure) : undefined);
      }
      stream.wake.resolve();
    },
    say(name, word) {
      const told = streams.values().filter((stream) => stream.name === name);
      return told.reduce((count, { input, unread, wake }) => {
        unread.push({ value: word(input), room: 0 });
        wake.resolve();
        return count + 1;
      }, 0);
    },
  };
}

function begin(peer: RpcPeer, asked: object, failed: (error: unknown) => void): void {
  peer.request("open", asked, new AbortController().signal).catch(failed);
}

/** Room is given back in halves, so that a fast stream costs few messages; and at once when what was to be shown was. */
function reading(
  stream: Stream,
  leave: () => void,
  giveBack: (more: number) => void,
): AsyncIterableIterator<unknown> {
  let taken = 0;
  let last: unknown;
  return {
    async next() {
      if (taken >= streamCredit / 2 || wantsReceipt(last)) {
        giveBack(taken);
        taken = 0;
      }
      last = undefined;
      while (stream.unread.length === 0 && stream.over === undefined) {
        await stream.wake.promise;
        stream.wake = Promise.withResolvers();
      }
      const next = stream.unread.shift();
      if (next !== undefined) {
        taken += next.room;
        last = next.value;
        return { done: false, value: last };
      }
      if (stream.over?.error !== undefined) throw stream.over.error;
      return { done: true, value: undefined };
    },
    async return() {
      leave();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
