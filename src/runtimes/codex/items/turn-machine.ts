import type { EndedEvent, Outcome } from "../../../core/events.ts";
import type { Fault } from "../../../core/faults.ts";
import { redactor } from "../../../lib/redact/redact.ts";
import type { MappingContext } from "./call-mapping.ts";
import { isCall } from "./item-mapping.ts";
import { handlers } from "./notifications.ts";
import { type Step, type Status, type TurnState, noEvents, withDrift } from "./turn-state.ts";
import { setBaseline } from "./usage.ts";
import { fieldsOf } from "../wire/fields.ts";
import { isIdleMethod } from "../wire/methods.ts";
import { type Scope, scopeOf } from "../wire/scope.ts";
import { type TokenCounts, readTokenUsage } from "../wire/token-usage.ts";

/** A notification of codex. */
export type Notification = { readonly method: string; readonly params: unknown };

export type TurnOptions = Omit<MappingContext, "mask"> & {
  readonly threadId: string;
  readonly turnId: string;
  /** The thread's token sum after the turn before, where it is known (`state.meter.total`). */
  readonly totalBefore?: TokenCounts;
  /** Applied to codex's own words before anybody sees them; without it only well-known key formats are masked. */
  readonly redact?: (text: string) => string;
};

export function beginTurn(options: TurnOptions): TurnState {
  const { threadId, turnId, cwd, hostNamespace, commandOf, totalBefore, redact = redactor() } = options;
  return {
    threadId,
    turnId,
    mapping: { cwd, hostNamespace, commandOf, mask: redact },
    redact,
    open: new Map(),
    done: [],
    nameless: 0,
    opened: 0,
    spokenAt: 0,
    calls: 0,
    meter: totalBefore === undefined ? {} : { before: totalBefore },
    waiting: false,
    noticesSaid: [],
    drift: new Map(),
  };
}

/**
 * What a notification means for this turn. Pure and total: no frame throws, what belongs to another thread or turn
 * changes nothing, and an item that was told is not told again. Goes on to take items after `outcome` is set, because
 * a command may outlive its turn.
 */
export function observe(state: TurnState, frame: Notification, nowMs: number): Step {
  const scope = scopeOf(frame.params);
  if (isForeign(state, scope)) return [withBaseline(state, frame, scope), noEvents];
  const handle = Object.hasOwn(handlers, frame.method) ? handlers[frame.method] : undefined;
  if (handle === undefined) {
    const known = isIdleMethod(frame.method);
    return [known ? state : withDrift(state, [`notification ${frame.method}`]), noEvents];
  }
  return withStatus(state, handle(state, fieldsOf(frame.params), nowMs));
}

/** Only a frame that names another thread or turn is foreign; one that names none is taken. */
export const isForeign = (
  state: Pick<TurnState, "threadId" | "turnId">,
  { threadId, turnId }: Scope,
): boolean =>
  (threadId !== undefined && threadId !== state.threadId) ||
  (turnId !== undefined && turnId !== state.turnId);

/** After a resume or a fork codex repeats the thread's sum under the id of the turn before. */
function withBaseline(state: TurnState, { method, params }: Notification, { threadId }: Scope): TurnState {
  if (method !== "thread/tokenUsage/updated" || threadId !== state.threadId) return state;
  const usage = readTokenUsage(fieldsOf(params)["tokenUsage"]);
  return usage === undefined ? state : { ...state, meter: setBaseline(state.meter, usage) };
}

/** The status follows from the state; it is said when it changes. */
function withStatus(before: TurnState, [state, events]: Step): Step {
  if (state === before || state.outcome !== undefined) return [state, events];
  const status = statusOf(state);
  const { shown } = state;
  if (shown?.state === status.state && shown.text === status.text) return [state, events];
  return [{ ...state, shown: status }, [...events, status]];
}

const thinking: Status = { type: "status", state: "thinking" };
const atTool: Status = { type: "status", state: "tool" };
const compacting: Status = { type: "status", state: "compacting" };

function statusOf(state: TurnState): Status {
  if (state.waiting) return { type: "status", state: "waiting" };
  if (state.retrying !== undefined) return { type: "status", state: "retrying", text: state.retrying };
  let status: Status = thinking;
  for (const { body } of state.open.values()) {
    if (body.type === "contextCompaction") return compacting;
    if (isCall(body)) status = atTool;
  }
  return status;
}

/** The end as our own kind: a status that codex does not have today is nobody's confirmation. */
export function outcomeOf(status: string): Outcome {
  if (status === "completed") return "done";
  return status === "interrupted" || status === "failed" ? status : "unconfirmed";
}

/** `text` is the last answer; commentary stands in where there is no answer. */
export function endedEvent(state: TurnState, outcome: Outcome, fault?: Fault): EndedEvent {
  const { usage } = state.meter;
  return {
    type: "ended",
    outcome,
    text: state.answer ?? state.commentary ?? "",
    ...(fault === undefined ? {} : { fault }),
    calls: state.calls,
    ...(usage === undefined
      ? {}
      : { usage: { ...usage, ...(state.limits === undefined ? {} : { limits: state.limits.text }) } }),
    side: { thread: state.threadId, turn: state.turnId },
  };
}
