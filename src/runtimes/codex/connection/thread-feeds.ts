import type { Clock } from "../../../lib/clock.ts";
import type { Gone } from "../process/gone.ts";
import { threadOf } from "./frame.ts";
import type { Queued } from "./frame-queue.ts";
import { parking } from "./parking.ts";
import { threadFeed } from "./thread-feed.ts";
import type { FeedSource, ThreadFeed } from "./thread-feed.ts";

/** All feeds of a connection. */
export type ThreadFeeds = {
  /** Throws if the thread has one already. */
  open(thread: string): ThreadFeed;
  /** To the feed of its thread, or to all if it is about none. */
  route(frame: Queued, size: number): void;
  /** Called when a turn begins on a thread that nobody reads. */
  onUnread(listener: (thread: string) => void): void;
  end(exit: Gone): void;
  /** Notifications that nobody came for. */
  readonly unclaimed: number;
};

export function threadFeeds(clock: Clock): ThreadFeeds {
  const feeds = new Map<string, FeedSource>();
  const parked = parking(clock);
  let gone: Gone | undefined;
  let unread: ((thread: string) => void) | undefined;

  return {
    onUnread(listener) {
      unread = listener;
    },
    open(thread) {
      if (feeds.has(thread))
        throw new Error(
          `The thread ${thread} is being read already. Close that feed before opening another.`,
        );
      const source = threadFeed({ clock, onDispose: () => void feeds.delete(thread) });
      feeds.set(thread, source);
      for (const { frame, size } of parked.take(thread)) source.push(frame, size, true);
      if (gone !== undefined) source.end(gone);
      return source.feed;
    },
    route(frame, size) {
      const thread = threadOf(frame.params);
      if (thread === undefined) {
        for (const source of feeds.values()) source.push(frame, size, false);
        return;
      }
      const source = feeds.get(thread);
      if (source !== undefined) return source.push(frame, size, true);
      parked.add(thread, frame, size);
      if (frame.kind === "notification" && frame.method === "turn/started") unread?.(thread);
    },
    end(exit) {
      gone = exit;
      for (const source of feeds.values()) source.end(exit);
    },
    get unclaimed() {
      return parked.dropped;
    },
  };
}
