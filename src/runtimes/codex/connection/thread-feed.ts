import type { Clock } from "../../../lib/clock.ts";
import { rpcCodes } from "../../../lib/rpc/rpc-message.ts";
import type { Frame, GoneFrame, RequestFrame } from "./frame.ts";
import { frameQueue } from "./frame-queue.ts";
import type { Queued } from "./frame-queue.ts";
import type { Gone } from "../process/gone.ts";

/** Frames of one thread, for one reader. Disposing refuses every request that has no answer yet. */
export type ThreadFeed = Disposable & {
  /**
   * The next frame, in order; undefined when the signal aborts or the feed is disposed. No frame is lost by an abort.
   * After `gone` there is nothing but `gone`.
   */
  next(signal: AbortSignal): Promise<Frame | undefined>;
  /** A frame that has come already, for a reader that is about to hand the feed on. */
  poll(): Frame | undefined;
  /** Refuses every request that has no answer yet: whoever would have answered is not there any more. */
  refuseOpen(): void;
  /** When the thread was last heard of, in the time of `clock.monotonic`; at first, when the feed was opened. */
  readonly lastFrameMs: number;
  /** Deltas that were dropped because the reader was too slow. */
  readonly droppedDeltas: number;
};

/** The side of a feed that fills it. */
export type FeedSource = {
  readonly feed: ThreadFeed;
  /** `own`: it is about this thread, and not about all. */
  push(frame: Queued, size: number, own: boolean): void;
  end(exit: Gone): void;
};

const maxDeltaBytes = 8 * 1024 * 1024;

export function threadFeed(options: { readonly clock: Clock; readonly onDispose: () => void }): FeedSource {
  const { clock } = options;
  const queue = frameQueue(maxDeltaBytes);
  const unanswered = new Set<RequestFrame>();
  let lastHeardMs = clock.monotonic();
  let last: GoneFrame | undefined;
  let disposed = false;
  let waiting: ((frame: Frame | undefined) => void) | undefined;

  function deliver(frame: Frame | undefined): boolean {
    const take = waiting;
    waiting = undefined;
    take?.(frame);
    return take !== undefined;
  }

  const stop = (): void => void deliver(undefined);

  function wait(signal: AbortSignal): Promise<Frame | undefined> {
    const { promise, resolve } = Promise.withResolvers<Frame | undefined>();
    signal.addEventListener("abort", stop, { once: true });
    waiting = (frame) => {
      signal.removeEventListener("abort", stop);
      resolve(frame);
    };
    return promise;
  }

  const feed: ThreadFeed = {
    async next(signal) {
      if (waiting !== undefined)
        throw new Error("Two readers wait for the frames of one thread. Read them in one place.");
      if (signal.aborted || disposed) return undefined;
      return queue.shift() ?? last ?? wait(signal);
    },
    poll: () => queue.shift(),
    refuseOpen: () => refuseAll(unanswered),
    get lastFrameMs() {
      return lastHeardMs;
    },
    get droppedDeltas() {
      return queue.dropped;
    },
    [Symbol.dispose]() {
      if (disposed) return;
      disposed = true;
      deliver(undefined);
      options.onDispose();
      feed.refuseOpen();
    },
  };

  return {
    feed,
    push(frame, size, own) {
      if (own) lastHeardMs = clock.monotonic();
      const seen = frame.kind === "request" ? tracked(frame, unanswered) : frame;
      if (!deliver(seen)) queue.push(seen, size);
    },
    end(exit) {
      last = { kind: "gone", exit };
      deliver(last);
    },
  };
}

function refuseAll(requests: ReadonlySet<RequestFrame>): void {
  for (const request of requests)
    request.fail(rpcCodes.internalError, "The turn that would have answered this is over.");
}

/** The same request, in `open` until it is answered. */
function tracked(request: RequestFrame, open: Set<RequestFrame>): RequestFrame {
  const frame: RequestFrame = {
    ...request,
    respond(result) {
      open.delete(frame);
      request.respond(result);
    },
    fail(code, message) {
      open.delete(frame);
      request.fail(code, message);
    },
  };
  open.add(frame);
  return frame;
}
