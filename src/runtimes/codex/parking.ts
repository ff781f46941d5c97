import type { Clock } from "../../lib/clock.ts";
import { rpcCodes } from "../../lib/rpc-message.ts";
import type { RequestFrame } from "./frame.ts";
import type { Queued } from "./frame-queue.ts";

export type Parked = { readonly frame: Queued; readonly size: number };

/** Where frames wait whose thread has no feed yet: mostly those that come right after a thread was started. */
export type Parking = {
  add(thread: string, frame: Queued, size: number): void;
  /** All frames of that thread, in order; they are not here any more. */
  take(thread: string): readonly Parked[];
  /** Notifications that nobody came for. */
  readonly dropped: number;
};

const requestMs = 2_000;
const notificationMs = 30_000;
const sweepMs = 1_000;
const threadBytes = 1024 * 1024;
const threadFrames = 512;
const allBytes = 8 * 1024 * 1024;

type Place = Parked & { readonly sinceMs: number };

/**
 * Bounded: the oldest notifications go first, per thread and in all, and none stays longer than half a minute. A
 * request that nobody came for within two seconds is refused, so that codex does not wait for ever.
 */
export function parking(clock: Clock): Parking {
  const threads = new Map<string, Place[]>();
  const refusals = new Map<RequestFrame, AbortController>();
  let bytes = 0;
  let dropped = 0;
  let sweptMs = clock.monotonic();

  function remove(thread: string, place: Place): void {
    const rest = (threads.get(thread) ?? []).filter((other) => other !== place);
    if (rest.length === 0) threads.delete(thread);
    if (rest.length > 0) threads.set(thread, rest);
    bytes -= place.size;
  }

  /** False: that thread has no notification. */
  function dropOldest(thread: string): boolean {
    const oldest = threads.get(thread)?.find(({ frame }) => frame.kind === "notification");
    if (oldest === undefined) return false;
    remove(thread, oldest);
    dropped += 1;
    return true;
  }

  function makeRoom(thread: string): void {
    while (isFull(threads.get(thread) ?? []) && dropOldest(thread));
    for (const other of threads.keys()) while (bytes > allBytes && dropOldest(other));
    if (clock.monotonic() - sweptMs >= sweepMs) sweep();
  }

  function sweep(): void {
    sweptMs = clock.monotonic();
    const expired = sweptMs - notificationMs;
    for (const [thread, places] of threads) {
      const old = places.filter(({ frame, sinceMs }) => frame.kind === "notification" && sinceMs < expired);
      for (const place of old) remove(thread, place);
      dropped += old.length;
    }
  }

  async function refuseLater(thread: string, place: Place, request: RequestFrame): Promise<void> {
    const cancel = new AbortController();
    refusals.set(request, cancel);
    try {
      await clock.sleep(requestMs, cancel.signal);
    } catch {
      return;
    } finally {
      refusals.delete(request);
    }
    remove(thread, place);
    request.fail(rpcCodes.internalError, "Nobody here works on that thread.");
  }

  return {
    add(thread, frame, size) {
      const place = { frame, size, sinceMs: clock.monotonic() };
      threads.set(thread, [...(threads.get(thread) ?? []), place]);
      bytes += size;
      if (frame.kind === "request") void refuseLater(thread, place, frame);
      makeRoom(thread);
    },
    take(thread) {
      const places = threads.get(thread) ?? [];
      threads.delete(thread);
      for (const { frame, size } of places) {
        bytes -= size;
        if (frame.kind === "request") refusals.get(frame)?.abort();
      }
      return places;
    },
    get dropped() {
      return dropped;
    },
  };
}

const isFull = (places: readonly Place[]): boolean =>
  places.length > threadFrames || places.reduce((sum, { size }) => sum + size, 0) > threadBytes;
