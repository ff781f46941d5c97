import { isLater, isTimestamp } from "./timestamp.ts";

/** How far each chat was read. A chat is a channel, or a thread in it as `channel/thread`. */
export type Marks = {
  /** Something was stored. */
  read(chat: string, ts: string): void;
  /** Something came that could not be stored: it is asked for again, however much was read after it. */
  owe(chat: string, ts: string): void;
  paid(channel: string): void;
  /** Newest first. */
  channels(): readonly Channel[];
  channel(id: string): Channel | undefined;
};

/** `read`: the newest of the messages outside of threads. `threads`: those that were written in last. `owed`: from here on something is missing. */
export type Channel = {
  readonly id: string;
  readonly newest: string;
  readonly read?: string;
  readonly owed?: string;
  readonly threads: readonly { readonly thread: string; readonly read: string }[];
};

/** Whoever is away for long comes back to the threads that were alive then, not to all there ever were. */
const mostThreads = 10;
const mostChats = 10_000;

export function newMarks(seen: ReadonlyMap<string, string>): Marks {
  const marks = new Map<string, string>();
  const owed = new Map<string, string>();
  const read = (chat: string, ts: string): void => {
    const before = marks.get(chat);
    if (!isTimestamp(ts) || (before !== undefined && !isLater(ts, before))) return;
    marks.delete(chat);
    marks.set(chat, ts);
    if (marks.size > mostChats) marks.delete(marks.keys().next().value as string);
  };
  for (const [chat, ts] of [...seen].toSorted(([, one], [, other]) => (isLater(one, other) ? 1 : -1))) {
    read(chat, ts);
  }

  return {
    read,
    owe(chat, ts) {
      const [id = ""] = chat.split("/");
      const before = owed.get(id);
      if (before === undefined || isLater(before, ts)) owed.set(id, ts);
    },
    paid: (id) => void owed.delete(id),
    channels: () => channelsOf(marks, owed),
    channel: (id) => channelsOf(marks, owed).find((channel) => channel.id === id),
  };
}

function channelsOf(
  marks: ReadonlyMap<string, string>,
  owed: ReadonlyMap<string, string>,
): readonly Channel[] {
  const ids = [...new Set([...marks.keys(), ...owed.keys()].map((chat) => chat.split("/")[0] ?? ""))];
  const byChannel = Map.groupBy(marks, ([chat]) => chat.split("/")[0] ?? "");
  return ids
    .map((id) => channelOf(id, byChannel.get(id) ?? [], owed.get(id)))
    .toSorted((one, other) => (isLater(one.newest, other.newest) ? -1 : 1));
}

function channelOf(id: string, chats: readonly (readonly [string, string])[], owed?: string): Channel {
  const threads = chats.flatMap(([chat, read]) => {
    const thread = chat.split("/")[1];
    return thread === undefined ? [] : [{ thread, read }];
  });
  const flat = chats.flatMap(([chat, read]) => (chat === id ? [read] : []));
  const read = newestOf([...flat, ...threads.map(({ thread }) => thread)]);
  return {
    id,
    newest:
      newestOf([...flat, ...threads.map((one) => one.read), ...(owed === undefined ? [] : [owed])]) ?? "0.0",
    threads: threads.toSorted((one, other) => (isLater(one.read, other.read) ? -1 : 1)).slice(0, mostThreads),
    ...(read === undefined ? {} : { read }),
    ...(owed === undefined ? {} : { owed }),
  };
}

const newestOf = (all: readonly string[]): string | undefined =>
  all
    .filter(isTimestamp)
    .reduce<string | undefined>(
      (newest, ts) => (newest === undefined || isLater(ts, newest) ? ts : newest),
      undefined,
    );
