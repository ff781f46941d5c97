import { type Incoming, Refusal, type Sent, type TurnChoices } from "../core/host.ts";
import { type SessionId, type TurnId, newId } from "../core/ids.ts";
import { belongsTo, maySteer } from "../core/principal.ts";
import type { NewSession, Session, StoredInput } from "../core/session.ts";
import type { Begun, BegunWaiting } from "../store/schema/opened-turn.ts";
import type { Acquired, Lease } from "../store/store.ts";
import type { Ended, AgentShared, Job } from "./agent-shared.ts";
import { busyHere, requireSession } from "./between-turns.ts";
import { chosenRuntime } from "./chosen-runtime.ts";
import type { AgentDeps } from "./index.ts";
import { enqueue } from "./job.ts";
import { unconfirmedText } from "./news.ts";
import { tellWords } from "./opening.ts";
import { settleUnsure } from "./recovery/sent-words.ts";

/** Takes an input in: durable when this resolves, not stored at all when it rejects. */
export async function send(shared: AgentShared, incoming: Incoming): Promise<Sent> {
  const { deps, leases, jobs } = shared;
  requireOpen(shared);
  const { session, whenBusy } = incoming;
  const id = typeof session === "string" ? session : session.id;
  // Where the lease is not held yet, the transaction that takes it looks at the session.
  if (typeof session !== "string" || leases.isHeld(id)) await checkTarget(deps, incoming);
  if (jobs.has(id) && whenBusy === "refuse") throw busyHere(id);
  if (!jobs.has(id)) for (const runtime of Object.values(deps.runtimes)) runtime.onInput?.(id);
  const at = deps.clock.now();
  const admission = { ...incoming, id: newId("inb", at), at };
  let started: Begun | undefined;
  const begin = async (): Promise<Acquired> => {
    const runtimeOf = (known: Session): string => allowedRuntime(deps, known, incoming);
    const turn = shared.events.own(newId("trn", at));
    const first = { id: turn, runtime: deps.defaultRuntime, runtimeOf };
    const answer = await deps.store.turns.begin(deps, admission, first);
    if ("lease" in answer) started = answer;
    return answer;
  };
  const held = await begun(shared, id, leases.hold(id, begin));
  try {
    const { row, fresh } = started ?? (await deps.store.inbox.admit(admission));
    if (!fresh) return await releaseAndReport(shared, id, row, "duplicate", Promise.resolve(undefined));
    const head = started?.opened === undefined ? jobs.get(id)?.[0] : undefined;
    if (head !== undefined && whenBusy === "steer") {
      const answer = await steer(shared, held.lease, head, row);
      if (answer !== "queue") return await releaseAndReport(shared, id, row, answer, head.ended);
    }
    return enqueue(shared, row, held, incoming, started?.opened);
  } catch (error) {
    await leases.release(id);
    throw error;
  }
}

/** Runs what was admitted before, and waits. */
export async function startWaiting(
  shared: AgentShared,
  input: StoredInput,
  choices: TurnChoices,
): Promise<Sent> {
  requireOpen(shared);
  const { deps, leases } = shared;
  const at = deps.clock.now();
  let started: BegunWaiting | undefined;
  const begin = async (): Promise<Acquired> => {
    const id = shared.events.own(newId("trn", at));
    const first = { id, runtime: deps.defaultRuntime, runtimeOf: usableRuntime(shared, choices) };
    const answer = await deps.store.turns.beginWaiting(deps, input, { choices, at }, first);
    if ("lease" in answer) started = answer;
    return answer;
  };
  const held = await ((await mayBegin(deps, input))
    ? leases.hold(input.session, begin)
    : leases.hold(input.session));
  return enqueue(shared, input, held, { attended: "none", choices }, started?.opened);
}

/** Known as beginning until it is a job: its input waits no more. */
export function begun<T>({ beginning }: AgentShared, session: SessionId, work: Promise<T>): Promise<T> {
  const some = beginning.get(session) ?? new Set();
  beginning.set(session, some.add(work));
  const over = (): void => {
    some.delete(work);
    if (some.size === 0) beginning.delete(session);
  };
  work.then(over, over);
  return work;
}

/** Whoever may not, or wants what is not here, is told so where the turn would begin, and has none then. */
const mayBegin = async ({ standing }: AgentDeps, input: StoredInput): Promise<boolean> =>
  standing === undefined ||
  standing.check(input).then(
    () => true,
    () => false,
  );

const usableRuntime =
  (shared: AgentShared, choices: TurnChoices) =>
  (session: Session): string | undefined => {
    // It waits for the next start.
    if (shared.closing) return undefined;
    try {
      return chosenRuntime(shared.deps, session, choices);
    } catch {
      return undefined;
    }
  };

function requireOpen({ closing }: AgentShared): void {
  if (closing) throw new Refusal("stopping", "Talaria is shutting down.", "Send it again after the restart.");
}

/**
 * Refused before anything is stored: a session that does not exist or is not held with whoever sends this, what is not
 * theirs to choose, and a runtime that is not here or not for them.
 */
async function checkTarget(deps: AgentDeps, incoming: Incoming): Promise<void> {
  const { session } = incoming;
  allowedRuntime(deps, typeof session === "string" ? await requireSession(deps, session) : session, incoming);
}

function allowedRuntime(
  deps: AgentDeps,
  known: Session | NewSession,
  { choices = {}, from }: Incoming,
): string {
  if (!belongsTo(known.audience, from.role)) {
    const message = `This session is held with ${audienceNames[known.audience]} alone.`;
    throw new Refusal("usage", message, "Begin another one.");
  }
  const chosen = ownersChoices.find((name) => choices[name] !== undefined);
  if (chosen !== undefined && (from.role === "member" || from.role === "guest"))
    throw new Refusal("usage", `Only the owner chooses the ${chosen} of a turn.`, "Send it without.");
  return chosenRuntime(deps, known, choices);
}

const ownersChoices = ["runtime", "model", "effort", "cwd", "record"] as const;
const audienceNames = { owner: "its owner", members: "the owner and members", guests: "those it began with" };

async function releaseAndReport(
  { leases }: AgentShared,
  held: SessionId,
  row: StoredInput,
  state: Sent["state"],
  ended: Ended,
): Promise<Sent> {
  await leases.release(held);
  return { session: row.session, inbox: row.id, state, ended };
}

/** Marked before it is sent: a crash in between must not make it run a second time. */
async function steer(
  shared: AgentShared,
  lease: Lease,
  head: Job,
  row: StoredInput,
): Promise<"steered" | "unconfirmed" | "queue"> {
  const { deps, events } = shared;
  const { turn, runtime, say } = head;
  if (turn === undefined || runtime === undefined || say === undefined) return "queue";
  if (!maySteer(row.from, head.input.from)) return "queue";
  const { inbox } = deps.store;
  if (!(await inbox.move(row.id, "waiting", "unconfirmed", turn.id))) return "queue"; // a Stop has set it aside
  const answer = await runtime.steer(turn.id, row.input, row.id).catch(() => "indeterminate" as const);
  if (answer === "refused") {
    await inbox.move(row.id, "unconfirmed", "waiting", turn.id);
    return "queue";
  }
  if (answer === "taken" && (await recordSteered(deps, lease, turn.id, row))) {
    tellWords(events, turn.id, row, true);
    return "steered";
  }
  // Another one that had to finish the turn has kept no names of what it was told.
  if (runtime === deps.runtimes[turn.runtime]) head.unsure.push(row);
  if (head.isSettled && (await settleUnsure(shared, { ...head, turn })).includes(row)) return "steered";
  say({ type: "notice", code: "steer_unconfirmed", text: unconfirmedText(row) });
  return "unconfirmed";
}

/** The running turn has the input. If that cannot be recorded, the caller must not treat it as never sent. */
async function recordSteered(
  { store, clock, log }: AgentDeps,
  lease: Lease,
  turn: TurnId,
  row: StoredInput,
): Promise<boolean> {
  try {
    return await store.turns.steered(lease, turn, row.id, clock.now());
  } catch (error) {
    log(`what was said into ${turn} could not be kept: ${String(error)}`);
    return false;
  }
}
