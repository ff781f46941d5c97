import type { TurnEvent } from "../../../core/events.ts";
import type { Json } from "../../../core/json.ts";
import { closeOpenItems, lateItemGraceMs } from "../items/close-items.ts";
import { codexFault } from "../codex-fault.ts";
import { goneFault } from "../process/process-fault.ts";
import { type Notification, beginTurn, endedEvent, observe, outcomeOf } from "../items/turn-machine.ts";
import type { TurnState } from "../items/turn-state.ts";
import { fieldsOf, numberIn, textIn } from "../wire/fields.ts";
import { scopeOf, threadIdOf, turnIdOf } from "../wire/scope.ts";
import type { TokenCounts } from "../wire/token-usage.ts";

/** One client's side of a recording, while it is read. Changed in place: it never leaves the replay. */
export type Connection = {
  readonly requests: Map<unknown, { readonly method: string; readonly threadId: string | undefined }>;
  readonly threads: Map<string, Thread>;
  readonly turns: Map<string, Live>;
  /** Those of them that are not over. */
  readonly running: Set<Live>;
  /** What came while no turn ran and may concern the next one. */
  parked: Notification[];
  /** Codex's wall clock, as far as its frames tell it. */
  wallMs: number;
};

type Thread = { cwd: string; model: string; provider: string; total?: TokenCounts };

type Live = { state: TurnState; readonly events: TurnEvent[]; endedMs?: number };

export const newConnection = (): Connection => ({
  requests: new Map(),
  threads: new Map(),
  turns: new Map(),
  running: new Set(),
  parked: [],
  wallMs: 0,
});

/** A frame that the client sent: only what it asked for matters, to understand the reply. */
export function sent(connection: Connection, msg: Json): void {
  const fields = fieldsOf(msg);
  const method = textIn(fields, "method");
  if (method === undefined || fields["id"] === undefined) return;
  connection.requests.set(fields["id"], { method, threadId: scopeOf(fields["params"]).threadId });
}

/** A frame from codex. Its own requests (approvals, tool calls) say nothing that its items do not say as well. */
export function received(connection: Connection, msg: Json, ms: number): void {
  const fields = fieldsOf(msg);
  const method = textIn(fields, "method");
  connection.wallMs = numberIn(fields, "emittedAtMs") ?? connection.wallMs;
  if (method === undefined) return replied(connection, fields["id"], fields["result"], ms);
  if (fields["id"] === undefined) notified(connection, { method, params: fields["params"] }, ms);
}

function replied(connection: Connection, id: unknown, result: unknown, ms: number): void {
  const request = connection.requests.get(id);
  connection.requests.delete(id);
  if (request === undefined || result === undefined) return;
  if (threadMethods.has(request.method)) noteThread(connection, result);
  const turnId = request.method === "turn/start" ? turnIdOf(result) : undefined;
  if (turnId !== undefined && request.threadId !== undefined) begin(connection, request.threadId, turnId, ms);
}

const threadMethods: ReadonlySet<string> = new Set(["thread/start", "thread/resume", "thread/fork"]);

function noteThread(connection: Connection, result: unknown): void {
  const found = threadIdOf(result);
  if ("missing" in found) return;
  const fields = fieldsOf(result);
  const thread = fieldsOf(fields["thread"]);
  const known = threadOf(connection, found.id);
  known.cwd = textIn(fields, "cwd") ?? textIn(thread, "cwd") ?? known.cwd;
  known.model = textIn(fields, "model") ?? textIn(thread, "model") ?? known.model;
  known.provider = textIn(fields, "modelProvider") ?? textIn(thread, "modelProvider") ?? known.provider;
}

function notified(connection: Connection, frame: Notification, ms: number): void {
  const { threadId, turnId } = scopeOf(frame.params);
  const names = frame.method.startsWith("item/") || frame.method.startsWith("turn/");
  if (names && threadId !== undefined && turnId !== undefined) begin(connection, threadId, turnId, ms);
  const { running } = connection;
  for (const live of running) see(live, frame, ms);
  if (running.size === 0 && connection.parked.length < mostParked) connection.parked.push(frame);
}

const mostParked = 100;

function begin(connection: Connection, threadId: string, turnId: string, ms: number): void {
  if (connection.turns.has(turnId)) return;
  // The next turn of a thread is the end of waiting for the one before.
  for (const live of connection.running)
    if (live.state.threadId === threadId) settleTurn(connection, live, ms);
  const { cwd, model, total } = threadOf(connection, threadId);
  const state = beginTurn({ threadId, turnId, cwd, ...(total === undefined ? {} : { totalBefore: total }) });
  const live: Live = { state, events: [{ type: "started", runtime: "codex", model, cwd }] };
  connection.turns.set(turnId, live);
  connection.running.add(live);
  const { parked } = connection;
  connection.parked = [];
  for (const frame of parked) see(live, frame, ms);
}

function see(live: Live, frame: Notification, ms: number): void {
  const [state, events] = observe(live.state, frame, ms);
  live.state = state;
  live.events.push(...events);
  if (state.outcome !== undefined) live.endedMs ??= ms;
}

/** Ends the turns that have nothing left to wait for at this time. */
export function timePassed(connection: Connection, ms: number): void {
  for (const live of connection.running) {
    if (live.endedMs === undefined) continue;
    if (live.state.open.size === 0 || ms > live.endedMs + lateItemGraceMs) settleTurn(connection, live, ms);
  }
}

/** Ends a turn that codex has ended; one that it has not stays open. */
function settleTurn(connection: Connection, live: Live, ms: number): void {
  const { outcome } = live.state;
  if (outcome === undefined) return;
  const end = outcomeOf(outcome.status);
  close(
    connection,
    live,
    end === "interrupted" ? "the turn was stopped" : "codex reported no result before the turn ended",
    Math.min(ms, (live.endedMs ?? ms) + lateItemGraceMs),
  );
  const { limits, threadId } = live.state;
  const context = {
    provider: threadOf(connection, threadId).provider || "The provider",
    loopRouteExists: false,
    now: connection.wallMs,
    brokeOff: outcome.brokeOff,
    ...(limits?.resetsAt === undefined ? {} : { resetsAt: limits.resetsAt }),
  };
  const fault = end === "failed" ? codexFault(outcome.error, context) : undefined;
  live.events.push(endedEvent(live.state, end, fault));
}

export function processExited(connection: Connection, msg: Json, ms: number): void {
  const fields = fieldsOf(msg);
  const gone = {
    code: numberIn(fields, "code") ?? null,
    signal: textIn(fields, "signal") ?? null,
    stderrTail: "",
    reason: "exit",
  } as const;
  const fault = goneFault(gone, { starting: false, loopRouteExists: false });
  for (const live of connection.running) settleTurn(connection, live, ms);
  for (const live of connection.running) {
    close(connection, live, "codex ended before it reported a result", ms);
    live.events.push(endedEvent(live.state, "failed", fault));
  }
}

function close(connection: Connection, live: Live, why: string, ms: number): void {
  const [state, events] = closeOpenItems(live.state, why, ms);
  live.state = state;
  connection.running.delete(live);
  live.events.push(...events);
  if (state.meter.total !== undefined) threadOf(connection, state.threadId).total = state.meter.total;
}

function threadOf(connection: Connection, threadId: string): Thread {
  const known = connection.threads.get(threadId) ?? { cwd: "", model: "", provider: "" };
  connection.threads.set(threadId, known);
  return known;
}
