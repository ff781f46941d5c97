import type { ReceivedMessage } from "../../core/gateway/tables.ts";
import type { Clock } from "../../lib/clock.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";

/** How long the next piece may take: apps cut long texts, and send the pictures of an album one by one. */
const waits = { text: 300, long: 1500, album: 600 } as const;
/** A text that is about as long as a message can be is probably the first piece of one. */
const longText = 3900;
const mostMessages = 12;

/** Messages of one person in one chat that come together make one input. */
export type Gather = {
  /** Takes it in; `flush` is called with all of them, in the order of their platform, when no more come. */
  add(place: string, row: ReceivedMessage): void;
  /** Takes those back that have not gone on. */
  take(place: string): readonly ReceivedMessage[];
  /** Nothing waits any more: they stay as they are, and are gathered again at the next start. */
  stop(): void;
};

type Waiting = { rows: ReceivedMessage[]; timer: AbortController };

export function gather(clock: Clock, flush: (rows: readonly ReceivedMessage[]) => void): Gather {
  const places = new Map<string, Waiting>();

  const end = (place: string): readonly ReceivedMessage[] => {
    const { rows = [], timer } = places.get(place) ?? {};
    timer?.abort(noLongerNeeded);
    places.delete(place);
    return rows.toSorted(inOrder);
  };

  return {
    add(place, row) {
      const before = places.get(place);
      before?.timer.abort(noLongerNeeded);
      const rows = [...(before?.rows ?? []), row];
      const timer = new AbortController();
      places.set(place, { rows, timer });
      if (rows.length >= mostMessages) return flush(end(place));
      clock.sleep(waitFor(row), timer.signal, { hold: true }).then(
        () => flush(end(place)),
        () => {}, // more came, or it was taken back
      );
    },
    take: end,
    stop() {
      for (const place of places.keys()) end(place);
    },
  };
}

function waitFor({ message }: ReceivedMessage): number {
  if (message.album !== undefined) return waits.album;
  return message.text.length >= longText ? waits.long : waits.text;
}

/** Zero-padded, so that text sorts as numbers do. */
export const inOrder = (one: ReceivedMessage, other: ReceivedMessage): number =>
  one.message.order < other.message.order ? -1 : Number(one.message.order > other.message.order);
