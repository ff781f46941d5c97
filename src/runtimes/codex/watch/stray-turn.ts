import type { Question } from "../../../core/asking.ts";
import type { EndedEvent, TurnEvent } from "../../../core/events.ts";
import type { Item } from "../../../core/items.ts";
import type { Clock } from "../../../lib/clock.ts";
import { noLongerNeeded } from "../../../lib/no-longer-needed.ts";
import { refuseRequest } from "../asking/refusing.ts";
import type { NotificationFrame } from "../connection/frame.ts";
import type { ThreadFeed } from "../connection/thread-feed.ts";
import { closeOpenItems } from "../items/close-items.ts";
import { isRunning } from "../items/strays.ts";
import { beginTurn, endedEvent, isForeign, observe, outcomeOf } from "../items/turn-machine.ts";
import type { TurnState } from "../items/turn-state.ts";
import type { AppServer } from "../process/app-server.ts";
import { hostNamespace } from "../thread-settings/offered-tools.ts";
import { noteTotal, totalBefore } from "../thread/thread-total.ts";
import { scopeOf } from "../wire/scope.ts";
import { endTerminals } from "./close-terminals.ts";

/** A turn that codex began by itself. */
export type StrayTurn = {
  readonly server: AppServer;
  readonly feed: ThreadFeed;
  readonly threadId: string;
  readonly turnId: string;
  readonly cwd: string;
  readonly clock: Clock;
  readonly redact: (text: string) => string;
  /** Hears what is about another turn, and that the thread is closed. */
  readonly onOther: (frame: NotificationFrame) => Promise<void>;
};

export type StrayEnd = {
  readonly items: readonly Item[];
  readonly refused: readonly Question[];
  readonly ended: EndedEvent;
  /** All of it was told. */
  readonly state: TurnState;
};

/** Codex has ended such a turn within milliseconds whenever it was tried. */
const patienceMs = 10_000;
const requestMs = 5_000;

/** Interrupts it, and follows it to its end all the same: what it did until then was done. */
export async function stopStrayTurn(turn: StrayTurn): Promise<StrayEnd> {
  const { server, feed, threadId, turnId, cwd, clock, redact } = turn;
  const over = new AbortController();
  clock.sleep(patienceMs, over.signal).then(
    () => over.abort(noLongerNeeded),
    () => {}, // it ended in time
  );
  interruptStray(turn);
  const before = await totalBefore(server, { id: threadId });
  let state = beginTurn({ threadId, turnId, cwd, hostNamespace, redact, ...before });
  const items: Item[] = [];
  const refused: Question[] = [];
  const asker = { cwd, thread: threadId, epoch: `${server.pid}.${server.epoch}` };
  const take = (events: readonly TurnEvent[]): void => {
    for (const event of events) if (event.type === "item") items.push(event.item);
  };
  while (state.outcome === undefined) {
    const frame = await feed.next(over.signal);
    if (frame === undefined || frame.kind === "gone") break;
    if (frame.kind === "request") refuseRequest(frame, asker, (question) => refused.push(question));
    if (frame.kind !== "notification") continue;
    const isClosed = frame.method === "thread/closed";
    if (isClosed || isForeign(state, scopeOf(frame.params))) await turn.onOther(frame);
    if (isClosed) break;
    const [next, events] = observe(state, frame, clock.now());
    // Too early, it is not heard: it is said again with everything that the turn goes on to begin.
    if (frame.method === "item/started" && next !== state) interruptStray(turn);
    state = next;
    take(events);
  }
  over.abort(noLongerNeeded);
  if (state.meter.total !== undefined) noteTotal(server, threadId, state.meter.total);
  await endCommands(turn, state);
  const [closed, rest] = closeOpenItems(state, "the turn was stopped", clock.now());
  take(rest);
  const ended = endedEvent(closed, outcomeOf(closed.outcome?.status ?? ""));
  return { items, refused, ended, state: closed };
}

function interruptStray({ server, threadId, turnId }: StrayTurn): void {
  const { signal } = new AbortController();
  // Whatever comes of it is seen in the feed.
  server.request("turn/interrupt", { threadId, turnId }, { signal, timeoutMs: requestMs }).catch(() => {});
}

/** An interrupted command goes on unless it is ended, too. */
async function endCommands({ server, threadId }: StrayTurn, { open }: TurnState): Promise<void> {
  const ids = [...open].flatMap(([id, entry]) => (isRunning(entry) ? [id] : []));
  if (ids.length > 0) await endTerminals(server, threadId, (itemId) => ids.includes(itemId));
}
