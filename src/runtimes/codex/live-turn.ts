import type { EndedEvent, ItemEvent, TurnEvent } from "../../core/events.ts";
import type { ItemId } from "../../core/ids.ts";
import type { BegunCall, CallHead } from "../../core/items.ts";
import type { Ports, Turn } from "../runtime.ts";
import { callHead } from "./items/call-mapping.ts";
import { isCall } from "./items/item-mapping.ts";
import type { AppServer } from "./process/app-server.ts";
import { type GoesOn, closeOpenItems } from "./items/close-items.ts";
import { growItem } from "./items/item-events.ts";
import { lookUp } from "./items/layered-map.ts";
import type { CodexPlan } from "./plan.ts";
import type { DrainReason } from "./process/pool.ts";
import type { EventSink } from "./pushed-events.ts";
import type { OfferedTools } from "./thread-settings/offered-tools.ts";
import type { CutTyping } from "./thread/cut-typing.ts";
import { type SilentCalls, unkeptCalls } from "./thread/silent-calls.ts";
import type { OpenThread } from "./thread/thread.ts";
import { noteTotal } from "./thread/thread-total.ts";
import { forgetContext } from "./thread/told-context.ts";
import { observeStray, takeWritten } from "./items/strays.ts";
import { type Notification, isForeign, observe } from "./items/turn-machine.ts";
import { type OpenEntry, type Step, type TurnState, freshId } from "./items/turn-state.ts";
import type { Leftovers } from "./watch/leftovers.ts";
import { readDynamic } from "./wire/call-item.ts";
import { type Fields, fieldsOf, idIn } from "./wire/fields.ts";
import { scopeOf } from "./wire/scope.ts";

/** Everything one running turn has at hand. `state` is what is known of it. */
export type LiveTurn = {
  readonly server: AppServer;
  readonly thread: OpenThread;
  /** The host tools that the thread may know. */
  readonly tools: OfferedTools;
  readonly turn: Turn;
  readonly ports: Ports;
  readonly plan: CodexPlan;
  readonly out: EventSink;
  /** Why calls were declined that no person declined, by codex's item id. */
  readonly declines: Map<string, string>;
  /** Commands that codex does not tell of. */
  readonly silentCalls?: SilentCalls;
  readonly cutTyping?: CutTyping;
  state: TurnState;
  /** What earlier turns of the thread have left running. */
  readonly left: Leftovers;
  /** The state when codex said that the turn is over: with what goes on after it. */
  atEnd?: TurnState;
  /** What an earlier turn left running has begun something new during this one. */
  lateWorkBegan?: true;
};

/** How the turn ended, and why its process should take no further one. */
export type TurnEnd = { readonly ended: EndedEvent; readonly drain?: DrainReason };

/** Takes a notification in and passes on what it means. */
export function takeNotification(live: LiveTurn, frame: Notification): void {
  const now = live.ports.clock.now();
  const before = live.state;
  const [state, events] = observe(before, frame, now);
  apply(live, [state, state === before ? events : events.map((event) => withWritten(live, frame, event))]);
  if (isForeign(before, scopeOf(frame.params))) takeStray(live, frame, now);
}

/** What comes of an earlier turn while this one runs is an item of this one. */
function takeStray(live: LiveTurn, frame: Notification, now: number): void {
  const { threadId, mapping } = live.state;
  const { strays, items, began } = observeStray(live.left.strays, { threadId, ...mapping }, frame, now);
  live.left.strays = strays;
  live.left.changed();
  if (began) live.lateWorkBegan = true;
  for (const event of items) live.out.push(event);
}

/** What a command of an earlier turn answers to what is typed into it belongs to the typing. */
function withWritten(live: LiveTurn, { method, params }: Notification, event: TurnEvent): TurnEvent {
  if (method !== "item/commandExecution/terminalInteraction" || event.type !== "item") return event;
  const { strays, text } = takeWritten(live.left.strays, scopeOf(params).itemId ?? "");
  live.left.strays = strays;
  if (text === "" || event.item.kind !== "call") return event;
  return { type: "item", item: { ...event.item, output: text } };
}

/** Commands that codex ran without a word. */
export const takeSilent = async (live: LiveTurn): Promise<void> =>
  takeCalls(live, (await live.silentCalls?.(live.state.turnId)) ?? []);

/** The same when codex is gone, or will be: what it had only just begun is in its file, and nowhere else. */
export async function takeUntold(live: LiveTurn): Promise<void> {
  const { turnId, open, done } = live.state;
  const known = { has: (id: string): boolean => open.has(id) || lookUp(done, id) !== undefined };
  takeCalls(live, await unkeptCalls(live.thread.file, turnId, known));
}

/**
 * What was being typed into a command. As soon as the end of the turn is known: to end its commands may take longer than
 * whoever stopped it waits for us.
 */
export async function takeTyped(live: LiveTurn): Promise<void> {
  const typed = (await live.cutTyping?.(live.state.turnId)) ?? [];
  for (const item of typed) live.out.push({ type: "item", item });
}

/** An item that was told is not told again, and an open one has its own end. */
function takeCalls(live: LiveTurn, calls: readonly object[]): void {
  const { threadId, turnId } = live.state;
  for (const item of calls) {
    if (isShown(live.state, fieldsOf(item))) continue;
    takeNotification(live, { method: "item/started", params: { threadId, turnId, item } });
    takeNotification(live, { method: "item/completed", params: { threadId, turnId, item } });
  }
}

/** A script waits for the call that is open: it is enough to tell of that one. */
function isShown({ open }: TurnState, { id, type }: Fields): boolean {
  const isScript = type === "dynamicToolCall";
  return [...open].some(([key, { body }]) => key === id || (isScript && isCall(body)));
}

/** What a host tool writes while it runs: codex does not hear of it. `call`: its `item/tool/call`. */
export function takeProgress(live: LiveTurn, call: Fields, text: string): void {
  const { state, ports } = live;
  const key = idIn(call, "callId");
  apply(live, growItem(state, key, text, "output", readDynamic(call), ports.clock.now()));
}

/** The call as it is recorded before it runs. `undefined`: it is not recorded. */
export function begunCall({ turn, ports }: LiveTurn, head: CallHead | undefined): BegunCall | undefined {
  const { epoch } = ports;
  if (head === undefined || epoch === undefined) return undefined;
  return { ...head, session: turn.session, turn: turn.id, epoch };
}

/** A call of codex's own that has begun and not ended. Host tools are kept by the tool box. */
export function openCall(
  { state }: LiveTurn,
  isIt: (entry: OpenEntry, key: string) => boolean,
): CallHead | undefined {
  const [, entry] = [...state.open].find(([key, each]) => isIt(each, key)) ?? [];
  if (entry === undefined || !isCall(entry.body) || entry.body.type === "dynamicToolCall") return undefined;
  return callHead(entry.body, entry.id, state.mapping);
}

/** The head of the item that the call of a host tool will become. */
export function hostCall({ state }: LiveTurn, call: Fields): CallHead | undefined {
  const key = idIn(call, "callId");
  if (key === undefined) return undefined;
  return callHead(readDynamic(call), state.open.get(key)?.id ?? freshId(state, key), state.mapping);
}

/** Codex does not always close what it began. */
export function closeItems(live: LiveTurn, why: keyof typeof reasons, goesOn?: GoesOn): void {
  apply(live, closeOpenItems(live.state, reasons[why], live.ports.clock.now(), goesOn));
}

const reasons = {
  ended: "the turn ended first",
  interrupted: "the turn was stopped",
  lost: "codex was gone before it had a result",
} as const;

function apply(live: LiveTurn, [state, events]: Step): void {
  live.state = state;
  if (state.meter.total !== undefined) noteTotal(live.server, live.thread.id, state.meter.total);
  for (const event of events) {
    if (event.type === "begin") keepBegun(live, event.item.id);
    if (event.type === "status" && event.state === "compacting") forgetContext(live.server, live.thread.id);
    live.out.push(event.type === "item" ? explainedItem(live, event) : event);
  }
}

/** Not awaited: codex is running it already. If the store cannot write, committing the item will say so. */
function keepBegun(live: LiveTurn, id: ItemId): void {
  const call = begunCall(
    live,
    openCall(live, (entry) => entry.id === id),
  );
  if (call !== undefined) live.ports.begin?.(call).catch(() => {});
}

/** The session keeps why it was declined; codex knows only that it was. */
function explainedItem({ declines }: LiveTurn, event: ItemEvent): ItemEvent {
  const { item } = event;
  const why = item.kind === "call" && !item.ok ? declines.get(item.id) : undefined;
  if (item.kind !== "call" || why === undefined) return event;
  return { type: "item", item: { ...item, output: `${item.output}\n${why}` } };
}
