import type { Clock } from "../../../lib/clock.ts";
import { noLongerNeeded } from "../../../lib/no-longer-needed.ts";
import { rpcCodes } from "../../../lib/rpc/rpc-message.ts";
import type { Queued } from "./frame-queue.ts";
import type { RequestFrame } from "./frame.ts";

export type Parked = { readonly frame: Queued; readonly size: number };

/** Where frames wait whose thread has no feed yet: mostly those that come right after a thread was started. */
export type Parking = {
  add(thread: string, frame: Queued, size: number): void;
  /** All frames of that thread, in order; they are not here any more. */
  take(thread: string): readonly Parked[];
  /** Notifications that nobody came for. */
  readonly dropped: number;
};

const notificationMs = 30_000;
const sweepMs = 1_000;
const threadBytes = 1024 * 1024;
const threadFrames = 512;
const allBytes = 8 * 1024 * 1024;

type ParkedEntry = Parked & { readonly sinceMs: number };

/**
 * Bounded: the oldest notifications go first, per thread and in all, and none stays longer than half a minute. A
 * request is kept, but refused if nobody comes.
 */
export function parking(clock: Clock): Parking {
  const threads = new Map<string, readonly ParkedEntry[]>();
  const requests = refusals(clock);
  let bytes = 0;
  let dropped = 0;
  let sweptMs = clock.monotonic();

  function keep(thread: string, entries: readonly ParkedEntry[]): void {
    bytes += sizeOf(entries) - sizeOf(threads.get(thread) ?? []);
    if (entries.length === 0) threads.delete(thread);
    if (entries.length > 0) threads.set(thread, entries);
  }

  function drop(thread: string, mayGo: (entry: ParkedEntry) => boolean): void {
    const before = threads.get(thread) ?? [];
    const after = before.filter((entry) => entry.frame.kind === "request" || !mayGo(entry));
    dropped += before.length - after.length;
    if (after.length < before.length) keep(thread, after);
  }

  function shrink(thread: string): void {
    const entries = threads.get(thread) ?? [];
    let frames = entries.length - threadFrames;
    let excess = sizeOf(entries) - threadBytes;
    drop(thread, ({ size }) => {
      if (frames <= 0 && excess <= 0) return false;
      frames -= 1;
      excess -= size;
      return true;
    });
  }

  function sweep(): void {
    sweptMs = clock.monotonic();
    const expired = sweptMs - notificationMs;
    for (const thread of threads.keys()) drop(thread, ({ sinceMs }) => sinceMs < expired);
  }

  return {
    add(thread, frame, size) {
      const entry = { frame, size, sinceMs: clock.monotonic() };
      keep(thread, [...(threads.get(thread) ?? []), entry]);
      const others = (): readonly ParkedEntry[] =>
        (threads.get(thread) ?? []).filter((other) => other !== entry);
      if (frame.kind === "request") requests.add(frame, () => keep(thread, others()));
      shrink(thread);
      for (const other of threads.keys()) {
        if (bytes <= allBytes) break;
        drop(other, () => true);
      }
      if (entry.sinceMs - sweptMs >= sweepMs) sweep();
    },
    take(thread) {
      const entries = threads.get(thread) ?? [];
      keep(thread, []);
      for (const { frame } of entries) if (frame.kind === "request") requests.cancel(frame);
      return entries;
    },
    get dropped() {
      return dropped;
    },
  };
}

const sizeOf = (entries: readonly ParkedEntry[]): number => entries.reduce((sum, { size }) => sum + size, 0);

const patienceMs = 2_000;

/** Requests that are refused soon, so that codex does not wait for ever for somebody who does not come. */
type Refusals = {
  /** `onRefused` is called before codex is told. */
  add(request: RequestFrame, onRefused: () => void): void;
  /** Somebody came. */
  cancel(request: RequestFrame): void;
};

function refusals(clock: Clock): Refusals {
  const waiting = new Map<RequestFrame, AbortController>();

  async function refuse(request: RequestFrame, taken: AbortSignal, onRefused: () => void): Promise<void> {
    try {
      await clock.sleep(patienceMs, taken);
    } catch {
      return;
    }
    waiting.delete(request);
    onRefused();
    request.fail(rpcCodes.internalError, "Nobody here works on that thread.");
  }

  return {
    add(request, onRefused) {
      const taken = new AbortController();
      waiting.set(request, taken);
      void refuse(request, taken.signal, onRefused);
    },
    cancel(request) {
      waiting.get(request)?.abort(noLongerNeeded);
      waiting.delete(request);
    },
  };
}
