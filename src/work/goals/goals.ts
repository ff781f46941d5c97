import type { Agent } from "../../agent/index.ts";
import type { Auxiliary } from "../../core/auxiliary.ts";
import type { EndedEnvelope, NoticeEvent } from "../../core/events.ts";
import {
  type AllowedCommand,
  type CheckResult,
  type Goal,
  type GoalReport,
  goalText,
} from "../../core/goal.ts";
import { type Incoming, Refusal } from "../../core/host.ts";
import type { SessionId, TurnId } from "../../core/ids.ts";
import type { StoredTurn } from "../../core/session.ts";
import type { Limit } from "../../core/spend.ts";
import { tokenCount } from "../../core/usage.ts";
import type { Clock } from "../../lib/clock.ts";
import { lanes } from "../../lib/lanes.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";
import type { Store } from "../../store/store.ts";
import type { Allowance, Piece } from "../budget/allowance.ts";
import { evidenceIn } from "./evidence.ts";
import { judge } from "./judge.ts";
import { type Finding, continuation, nextText, usedUp, verdictOn } from "./verdict.ts";

/** Goes on with the goals of sessions, turn after turn, until they are reached or somebody has to decide. */
export type Goals = Disposable & {
  /** To be told of every turn. */
  after(session: SessionId, ended: Promise<EndedEnvelope | undefined>, send: Send): Promise<void>;
  /** Goes on with the goal of this session, if one is active and nothing runs. Never rejects. */
  pursue(session: SessionId, send: Send): Promise<void>;
  /** The same at the start of a host: a turn that was cut off then was stopped by nobody. */
  resume(session: SessionId, send: Send): Promise<void>;
  report(session: SessionId): Promise<GoalReport | undefined>;
  spent(session: SessionId): Promise<Required<Limit>>;
};

/** Takes an input, and sees to what follows its turn. */
type Send = Agent["send"];

export type GoalDeps = {
  readonly store: Pick<Store, "goals" | "sessions" | "turns" | "inbox" | "usage" | "events" | "meta">;
  readonly agent: Pick<Agent, "isBusy">;
  readonly auxiliary: Auxiliary;
  /** Runs checks, in the sandbox. */
  readonly shell: {
    readonly check: (wanted: AllowedCommand, signal: AbortSignal) => Promise<CheckResult>;
  };
  readonly watchers: {
    /** False: nobody watches the session. */
    readonly tell: (session: SessionId, after: TurnId, notice: NoticeEvent) => boolean;
    readonly isWatchedByPerson: (session: SessionId) => boolean;
  };
  readonly allowance: Allowance;
  readonly clock: Clock;
  readonly log: (line: string) => void;
};

export function goals(deps: GoalDeps): Goals {
  const closing = new AbortController();
  const order = lanes<SessionId>();
  const spent = (session: SessionId): Promise<Required<Limit>> => spentIn(deps.store, session);
  const goOn = (session: SessionId, send: Send, isStart: boolean): Promise<void> =>
    order
      .run(session, () =>
        closing.signal.aborted ? undefined : nextTurn(deps, { session, isStart }, send, closing.signal),
      )
      .catch((error: unknown) => {
        if (!closing.signal.aborted) deps.log(`the goal of ${session}: ${String(error)}`);
      });
  const pursue: Goals["pursue"] = (session, send) => goOn(session, send, false);
  return {
    spent,
    pursue,
    resume: (session, send) => goOn(session, send, true),
    async after(session, ended, send) {
      if ((await ended) !== undefined) await pursue(session, send);
    },
    async report(session) {
      const goal = await deps.store.goals.of(session);
      if (goal === undefined) return undefined;
      const [steps, now] = await Promise.all([deps.store.goals.steps(goal.id), spent(session)]);
      return { ...goal, steps, spent: since(goal, now) };
    },
    [Symbol.dispose]: () => closing.abort(noLongerNeeded),
  };
}

/**
 * Looks at the last turn once, keeps what was found, and begins the next one. What a person has typed goes first: while
 * a turn runs or waits nothing is done, since its end leads here again.
 */
async function nextTurn(
  deps: GoalDeps,
  { session, isStart }: { readonly session: SessionId; readonly isStart: boolean },
  send: Send,
  signal: AbortSignal,
): Promise<void> {
  const { store, agent } = deps;
  const goal = await store.goals.of(session);
  if (goal?.state !== "active" || agent.isBusy(session)) return;
  const [last] = await store.sessions.lastTurns(session, 1);
  if (last === undefined || last.startedAt < goal.createdAt)
    return (await isAllowed(deps, goal, 1)) ? begin(deps, goal, undefined, send) : undefined;
  if (last.state === "open") return;
  const steps = await store.goals.steps(goal.id);
  const known = steps.find(({ turn }) => turn === last.id);
  const isCutOff = isStart && last.state === "interrupted";
  const found = known ?? (isCutOff ? cutOff(steps) : await finding(deps, goal, last, signal));
  if (signal.aborted) return;
  const spent = since(goal, await spentIn(store, session));
  if (known === undefined) {
    await deps.allowance.settle(pieceOf(deps, goal, steps.length + 1), { session, since: last.startedAt });
    const verdict = verdictOn(goal, found, steps, spent);
    const step = { goal: goal.id, turn: last.id, ...found, at: deps.clock.now() };
    const ending = verdict.state === "active" ? {} : ({ ...verdict, untold: true } as const);
    if (!(await store.goals.keep(step, ending))) return;
    if (verdict.state !== "active") return tellEnd(deps, { ...goal, ...verdict }, last.id);
  }
  // What was found before a restart, or before somebody has resumed it, was within other limits.
  const full = known && usedUp(goal.limit, steps.length, spent);
  if (full !== undefined) return pause(deps, goal, last.id, full);
  const number = steps.length + (known === undefined ? 2 : 1);
  if (!(await isAllowed(deps, goal, number, last.id))) return;
  await say(deps, session, last.id, {
    type: "notice",
    code: "goal_step",
    text: nextText(goal, found, number),
  });
  await begin(deps, goal, { turn: last.id, found }, send);
}

/** Once it goes on by itself. What ends Talaria twice may be what the turn does. */
function cutOff(steps: readonly Finding[]): Finding {
  const before = steps.at(-1);
  return before?.by === "turn" && before.verdict === "go_on"
    ? { by: "turn", verdict: "failed", text: "Two turns in a row were cut off when Talaria ended." }
    : { by: "turn", verdict: "go_on", text: "The turn was cut off when Talaria ended." };
}

async function finding(
  { store, auxiliary, shell }: GoalDeps,
  goal: Goal,
  turn: StoredTurn,
  signal: AbortSignal,
): Promise<Finding> {
  const { id, session, state, fault } = turn;
  if (state === "interrupted")
    return {
      by: "turn",
      verdict: "failed",
      text: "Its last turn was stopped.",
    };
  if (state === "failed")
    return { by: "turn", verdict: "failed", text: `Its last turn failed: ${fault?.message ?? "unknown"}` };
  if (goal.check !== undefined)
    return checked(await shell.check({ ...goal.check, session }, signal), goal.check.command);
  const turns = await store.sessions.lastTurns(session, mostTurns);
  const own = turns.filter(({ startedAt, undone }) => startedAt >= goal.createdAt && undone !== true);
  const items = await Promise.all(own.map((each) => store.turns.items(each.id)));
  const answer = (await store.turns.items(id)).findLast((item) => item.kind === "text")?.text ?? "";
  return judge(auxiliary, goal, evidenceIn(items), answer, signal);
}

/** So many turns back a judge is shown what was done. */
const mostTurns = 10;
const mostOutput = 2000;

function checked(ran: CheckResult, command: string): Finding {
  if ("refused" in ran)
    return { by: "check", verdict: "failed", text: `The check could not be run: ${ran.refused}` };
  const { exitCode, output } = ran;
  if (exitCode === 0) return { by: "check", verdict: "done", text: `${command}: exit 0`, exitCode };
  return {
    by: "check",
    verdict: "go_on",
    text: `[exit ${exitCode}]\n${output.slice(-mostOutput)}`,
    exitCode,
  };
}

/** `before`: the turn that it follows. The same turn leads to the same message, so that it is sent once, whoever looks at it however often. */
async function begin(
  deps: GoalDeps,
  goal: Goal,
  before: { readonly turn: TurnId; readonly found: Finding } | undefined,
  send: Send,
): Promise<void> {
  const { store, watchers } = deps;
  const incoming: Incoming = {
    key: { surface: "goal", account: "", chat: goal.id, messageId: before?.turn ?? goal.id },
    from: goal.by,
    session: goal.session,
    input: [{ type: "text", text: before === undefined ? goal.text : continuation(goal, before.found) }],
    whenBusy: "refuse",
    attended: watchers.isWatchedByPerson(goal.session) ? "ask" : "none",
    choices: { budget: { ...deps.allowance.may, section: "work" } },
  };
  try {
    const { state, inbox } = await send(incoming);
    if (state !== "duplicate" || (await store.inbox.get(inbox))?.state !== "kept") return;
    // It was set aside: by a Stop, or by a restart before it began.
    await send({ ...incoming, key: { ...incoming.key, messageId: inbox }, again: inbox });
  } catch (error) {
    // Somebody else was faster; the end of their turn leads here again.
    if (error instanceof Refusal && (error.code === "busy" || error.code === "stopping")) return;
    const why = error instanceof Error ? error.message : String(error);
    await pause(deps, goal, before?.turn, why);
  }
}

/** One turn of a goal, as the budgets of work see it. */
const pieceOf = ({ allowance: { may } }: GoalDeps, { id }: Goal, number: number): Piece => ({
  id: `${id} ${number}`,
  origin: "goal",
  subject: id,
  may,
});

/** What its next turn may use is taken out of the budgets of work; else it is paused. */
async function isAllowed(deps: GoalDeps, goal: Goal, number: number, last?: TurnId): Promise<boolean> {
  const notNow = await deps.allowance.take(pieceOf(deps, goal, number));
  if (notNow !== undefined) await pause(deps, goal, last, sentence(notNow));
  return notNow === undefined;
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

async function pause(deps: GoalDeps, { id }: Goal, turn: TurnId | undefined, why: string): Promise<void> {
  const change = { state: "paused", why, untold: true } as const;
  const paused = await deps.store.goals.change(id, change, deps.clock.now());
  if (paused !== undefined) await tellEnd(deps, paused, turn);
}

/** What nobody hears now is said with the session's next turn. */
async function tellEnd(deps: GoalDeps, goal: Goal, turn: TurnId | undefined): Promise<void> {
  const text = goalText(goal);
  deps.log(`${goal.session}: ${text}`);
  const state = goal.state === "done" ? "ran" : "failed";
  await deps.allowance.note({ origin: "goal", subject: goal.id }, { state, reason: text });
  if (turn === undefined) return;
  const isHeard = await say(deps, goal.session, turn, { type: "notice", code: "goal", text });
  if (isHeard) await deps.store.goals.told(goal.id);
}

/** Where the session is open, and to whoever follows the event log. False: it is open nowhere. */
async function say(
  { watchers, store, clock }: GoalDeps,
  session: SessionId,
  turn: TurnId,
  notice: NoticeEvent,
): Promise<boolean> {
  const isHeard = watchers.tell(session, turn, notice);
  await store.events.note(session, turn, notice, clock.now());
  return isHeard;
}

async function spentIn({ usage }: Pick<Store, "usage">, session: SessionId): Promise<Required<Limit>> {
  const sum = await usage.sum({ session });
  return { tokens: tokenCount(sum), usd: sum.cost ?? 0 };
}

const since = ({ before }: Goal, now: Required<Limit>): Required<Limit> => ({
  tokens: Math.max(0, now.tokens - before.tokens),
  usd: Math.max(0, now.usd - before.usd),
});
