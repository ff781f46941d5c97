import type { Follow, FollowedEvent, LiveEvent } from "../../core/event-log.ts";
import type { Envelope } from "../../core/events.ts";
import type { ItemId, TurnId } from "../../core/ids.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Store } from "../../store/store.ts";
import type { Hub } from "../hub.ts";
import { type CursorScope, cursorAt, placeOf } from "./cursor.ts";
import { logReader } from "./log-reader.ts";
import { pendingEvents } from "./pending.ts";

export type FollowDeps = {
  readonly store: Pick<Store, "events">;
  readonly watchers: Hub;
  readonly clock: Clock;
};

const heartbeatMs = 15_000;

/** Reads the log on from a place, then goes on as it grows. The order is that of the commits, for everybody the same. */
export async function* follow(
  { store, watchers, clock }: FollowDeps,
  { of, after, once }: Follow,
  signal: AbortSignal,
): AsyncGenerator<FollowedEvent, void, void> {
  const scope = { home: await store.events.home(), of };
  await using stack = new AsyncDisposableStack();
  const ended = new AbortController();
  stack.defer(() => ended.abort());
  const over = AbortSignal.any([signal, ended.signal]);
  const pending = pendingEvents();
  // Before the first look, so that nothing is missed in between.
  stack.use(store.events.watch(() => pending.mark("log")));
  stack.defer(watchers.overhear((event) => isLive(event, of) && pending.live(liveEvent(event))));
  beat(clock, over, () => pending.mark("beat"));
  pending.mark("log");

  const start = await firstPlace(store, scope, after);
  yield { v: 1, type: "resume", resume: start.resume, cursor: cursorAt(scope, start.place) };
  const reader = logReader(store, scope, start.place);
  const shown = finished();
  for (let next = await pending.next(over); next !== undefined; next = await pending.next(over)) {
    if (next === "beat") yield { v: 1, type: "heartbeat", at: clock.now() };
    if (next === "missed") yield { v: 1, type: "resume", resume: "gap", cursor: reader.cursor() };
    if (typeof next === "object" && shown.isNews(next)) yield next;
    if (next !== "log") continue;
    for await (const event of reader.unread(over)) {
      shown.saw(event);
      yield event;
      if (event.type === "deleted" && of !== "all") return;
    }
    if (once === true) return;
  }
}

async function firstPlace({ events }: FollowDeps["store"], scope: CursorScope, after: string | undefined) {
  const wanted = after === undefined || after === "start" ? after : placeOf(scope, after);
  const { from, to } = await events.extent(scope.of);
  if (wanted === undefined) return { resume: "ok", place: to } as const;
  if (wanted === "start") return { resume: "ok", place: from } as const;
  // Behind the end of a home that was put back from a copy, nobody knows what the reader has seen.
  const isKept = wanted >= from && wanted <= to;
  return isKept ? ({ resume: "ok", place: wanted } as const) : ({ resume: "gap", place: to } as const);
}

const isLive = (event: Envelope, of: Follow["of"]): event is Envelope & LiveEvent =>
  liveTypes.has(event.type) && (of === "all" || of.session === event.session);

const liveTypes: ReadonlySet<string> = new Set<LiveEvent["type"]>(["begin", "delta", "status", "usage"]);

const liveEvent = ({ seq: _seq, ...event }: Envelope & LiveEvent): LiveEvent => event;

/** The log may be ahead of what is said live: what it has finished is not begun again. */
function finished() {
  const items = new Map<TurnId, Set<ItemId>>();
  const turns = new Set<TurnId>();
  return {
    saw(event: Exclude<FollowedEvent, LiveEvent>): void {
      if (!("turn" in event) || event.turn === undefined) return;
      const { turn } = event;
      if (event.type === "item") items.set(turn, (items.get(turn) ?? new Set()).add(event.item.id));
      if (event.type !== "ended") return;
      items.delete(turn);
      turns.add(turn);
      const [oldest] = turns;
      if (turns.size > rememberedTurns && oldest !== undefined) turns.delete(oldest);
    },
    isNews(event: LiveEvent): boolean {
      if (turns.has(event.turn)) return false;
      const of = event.type === "delta" ? event.item : event.type === "begin" ? event.item.id : undefined;
      return of === undefined || items.get(event.turn)?.has(of) !== true;
    },
  };
}

const rememberedTurns = 100;

function beat(clock: Clock, signal: AbortSignal, tell: () => void): void {
  void (async () => {
    while (!signal.aborted) {
      await clock.sleep(heartbeatMs, signal).catch(() => {});
      if (!signal.aborted) tell();
    }
  })();
}
