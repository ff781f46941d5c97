import type { Clock } from "../../../lib/clock.ts";
import { RpcError, methodNotFound } from "../../../lib/rpc/rpc-message.ts";
import { rpcPeer, type RpcPeer, type RpcRequest } from "../../../lib/rpc/rpc-peer.ts";
import type { Gone } from "../process/gone.ts";
import { notices } from "../process/notices.ts";
import { linesToTheEnd, type Wire } from "../process/process-wire.ts";
import { threadOf, type RequestFrame } from "./frame.ts";
import { requests, type RequestOptions } from "./open-requests.ts";
import { recordedWire, type Recorder } from "./recorded-wire.ts";
import type { ThreadFeed } from "./thread-feed.ts";
import { threadFeeds } from "./thread-feeds.ts";

export type ConnectionOptions = {
  readonly wire: Wire;
  readonly clock: Clock;
  /** Answers requests that belong to no thread: with its result, or with the `RpcError` it throws. Else: refused. */
  readonly onUnscopedRequest?: (request: RpcRequest) => unknown;
  readonly record?: Recorder | undefined;
};

export type Connection = {
  /** Rejects with codex's `RpcError`, with `RequestTimedOut`, `AppServerGone`, or the signal's reason. */
  request(method: string, params: object, options: RequestOptions): Promise<unknown>;
  /** Does nothing once the app-server is gone. */
  notify(method: string, params?: object): void;
  /** Throws if the thread has one already. May be opened before and after the thread is known to codex. */
  feed(threadId: string): ThreadFeed;
  /** Called when a turn begins on a thread that has no feed; the frames wait for one. */
  onUnread(listener: (threadId: string) => void): void;
  /** Settles in the tick of the end, after the last frame; never rejects. */
  readonly gone: Promise<Gone>;
  readonly alive: boolean;
  /** What codex warned of that belongs to no thread: its settings, mostly. Grows. */
  readonly notices: readonly string[];
  /** Everything that waits settles now. The process is not touched. */
  close(): void;
  counts(): ConnectionCounts;
};

export type ConnectionCounts = {
  /** Lines that were no message. */
  readonly badLines: number;
  /** Answers to nothing. */
  readonly strayReplies: number;
  /** Notifications about threads that nobody reads. */
  readonly unclaimed: number;
};

/** Speaks with one app-server. Its one reader waits for nobody. */
export function connection(options: ConnectionOptions): Connection {
  const { clock } = options;
  const wire = recordedWire(options.wire, options.record);
  const feeds = threadFeeds(clock);
  const pending = requests(clock);
  const collected = notices();
  const bad = badLines(clock);
  const ended = Promise.withResolvers<Gone>();
  let gone: Gone | undefined;
  let lineLength = 0;

  function end(exit: Gone): void {
    if (gone !== undefined) return;
    gone = exit;
    wire.recordEnd(exit);
    pending.end(exit);
    feeds.end(exit);
    ended.resolve(exit);
    peer.close(exit.reason);
  }

  function retire(reason: Gone["reason"], lastLine = ""): void {
    end({ code: null, signal: null, stderrTail: wire.stderrTail() + lastLine, reason });
    if (reason !== "closed") void wire.kill();
  }

  const peer: RpcPeer = rpcPeer({
    input: linesToTheEnd(wire, {
      clock,
      onLine: (line) => (lineLength = line.length),
      onTooLong: () => retire("line-too-long"),
      onExit: (exit) => end({ ...exit, reason: "exit" }),
    }),
    write: (line) => wire.write(line).catch(() => retire("write-stuck")),
    onNotification(method, params) {
      collected.see(method, params);
      feeds.route({ kind: "notification", method, params }, lineLength);
    },
    onRequest(request) {
      if (isUnscoped(request)) return (options.onUnscopedRequest ?? refuse)(request);
      const { frame, answer } = requestFrame(request);
      feeds.route(frame, lineLength);
      return answer;
    },
    onBadLine(line) {
      if (bad.add(line)) retire("garbage", `\n[stdout] ${bad.sample}\n`);
    },
  });

  return {
    request: (method, params, wanted) => pending.ask(peer, method, params, wanted),
    notify: (method, params) => peer.notify(method, params),
    feed: feeds.open,
    onUnread: feeds.onUnread,
    gone: ended.promise,
    get alive() {
      return gone === undefined;
    },
    notices: collected.texts,
    close: () => retire("closed"),
    counts: () => ({ ...peer.counts(), unclaimed: feeds.unclaimed }),
  };
}

/** About the account or the machine, whatever thread they name. */
const unscoped: ReadonlySet<string> = new Set([
  "account/chatgptAuthTokens/refresh",
  "attestation/generate",
  "currentTime/read",
]);

const isUnscoped = ({ method, params }: RpcRequest): boolean =>
  unscoped.has(method) || threadOf(params) === undefined;

function refuse({ method }: RpcRequest): never {
  throw methodNotFound(method);
}

function requestFrame({ id, method, params }: RpcRequest): {
  readonly frame: RequestFrame;
  readonly answer: Promise<unknown>;
} {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const fail = (code: number, message: string): void => reject(new RpcError(code, message));
  return { frame: { kind: "request", id, method, params, respond: resolve, fail }, answer: promise };
}

const allowed = 100;
const withinMs = 1_000;
const sampleLength = 1024;

type BadLines = {
  /** True: so many came within a second that the rest will be no better. */
  add(line: string): boolean;
  /** The start of the newest one. */
  readonly sample: string;
};

function badLines(clock: Clock): BadLines {
  const times: number[] = [];
  let sample = "";
  return {
    add(line) {
      sample = line.slice(0, sampleLength);
      const now = clock.monotonic();
      times.push(now);
      if (times.length <= allowed) return false;
      return now - (times.shift() ?? now) <= withinMs;
    },
    get sample() {
      return sample;
    },
  };
}
