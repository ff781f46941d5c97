import { isDelta, joinDeltas } from "./frame.ts";
import type { NotificationFrame, RequestFrame } from "./frame.ts";

export type Queued = NotificationFrame | RequestFrame;

export type FrameQueue = {
  /** `size` is about how many bytes the frame holds. */
  push(frame: Queued, size: number): void;
  shift(): Queued | undefined;
  /** Deltas that were left out because the earlier ones were not taken. */
  readonly dropped: number;
};

type Slot = { frame: Queued; deltaBytes: number };

/** Bytes that joining two deltas costs beyond their text. */
const joint = 32;
const tidyAt = 1024;

/**
 * Frames in order, for a reader that may be slow. Deltas that follow each other become one; beyond `maxDeltaBytes` new
 * ones are dropped. Everything else is kept, whatever happens.
 */
export function frameQueue(maxDeltaBytes: number): FrameQueue {
  let slots: Slot[] = [];
  let first = 0;
  let deltaBytes = 0;
  let dropped = 0;

  function pushDelta(frame: NotificationFrame, size: number): void {
    const last = slots.length > first ? slots.at(-1) : undefined;
    const joined = last?.frame.kind === "notification" ? joinDeltas(last.frame, frame) : undefined;
    const added = joined === undefined ? size : joined.added + joint;
    if (deltaBytes + added > maxDeltaBytes) {
      dropped += 1;
      return;
    }
    deltaBytes += added;
    if (last === undefined || joined === undefined) {
      slots.push({ frame, deltaBytes: added });
      return;
    }
    last.frame = joined.frame;
    last.deltaBytes += added;
  }

  return {
    push(frame, size) {
      if (frame.kind === "notification" && isDelta(frame)) return pushDelta(frame, size);
      slots.push({ frame, deltaBytes: 0 });
    },
    shift() {
      const next = slots[first];
      if (next === undefined) return undefined;
      first += 1;
      deltaBytes -= next.deltaBytes;
      if (first === slots.length || first >= tidyAt) {
        slots = slots.slice(first);
        first = 0;
      }
      return next.frame;
    },
    get dropped() {
      return dropped;
    },
  };
}
