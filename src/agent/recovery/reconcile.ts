import type { EndedEvent, TurnEvent } from "../../core/events.ts";
import type { Fault } from "../../core/faults.ts";
import { Refusal } from "../../core/host.ts";
import type { SessionId, TurnId } from "../../core/ids.ts";
import type { StoredInput, StoredTurn } from "../../core/session.ts";
import type { Runtime } from "../../runtimes/runtime.ts";
import { commitEnd, commitItem, startProgress } from "../commit.ts";
import type { AgentDeps, Reconciled } from "../index.ts";
import { closeOpenCalls } from "./open-calls.ts";
import type { HeldLease, SessionLeases } from "../session-lease.ts";
import { asOpenTurn, settleSent } from "./sent-words.ts";
import { costRows, withUncounted } from "../budget/turn-spend.ts";

/**
 * Closes what a crash left open: any process may. Sessions held by a living process are theirs and are left alone.
 * Idempotent: killed in the middle, the next start does the rest. `only`: in this session.
 */
export async function reconcile(
  deps: AgentDeps,
  leases: SessionLeases,
  only?: SessionId,
): Promise<Reconciled> {
  const done = { turns: 0, setAside: 0 };
  for (const { session } of await deps.store.turns.listOpen()) {
    if (only !== undefined && session !== only) continue;
    await whileHeld(leases, session, async (held) => {
      if (await closeOpenTurn(deps, held, session)) done.turns += 1;
    });
  }
  for (const input of await waiting(deps, "typed", only)) {
    await whileHeld(leases, input.session, async () => {
      if (await deps.store.inbox.move(input.id, "waiting", "kept")) done.setAside += 1;
    });
  }
  return done;
}

/** What chats have sent: only an executor may take it, since whoever else opens the home has come for something of its own. */
export async function runWaiting(
  deps: AgentDeps,
  leases: SessionLeases,
  run: (input: StoredInput, held: HeldLease) => void,
): Promise<number> {
  let started = 0;
  for (const [session, inputs] of Map.groupBy(await waiting(deps, "chat"), (input) => input.session)) {
    await whileHeld(leases, session, async () => {
      // The second hold keeps the lease until the turn has ended.
      for (const input of inputs) run(input, await leases.hold(session));
      started += inputs.length;
    });
  }
  return started;
}

async function waiting(
  { store, answering }: AgentDeps,
  from: "typed" | "chat",
  session?: SessionId,
): Promise<readonly StoredInput[]> {
  const all = await store.inbox.inState("waiting", session);
  // Work is brought by its dispatcher, when it is due.
  const others = all.filter(({ work }) => work === undefined);
  return others.filter(({ key }) => (answering(key.surface) === "awaited") === (from === "typed"));
}

/**
 * Closes the turn of the session that somebody has left open, which can be this process if its store could not be written. Under
 * the lease, while nothing runs in the session: a turn that is open then has nobody who would end it. `unkept`: why this process has
 * left one. False: there is none.
 */
export async function closeOpenTurn(
  deps: AgentDeps,
  held: HeldLease,
  session: SessionId,
  unkept?: ReadonlyMap<TurnId, Fault>,
): Promise<boolean> {
  // Looked at under the lease: its owner may have ended it meanwhile, or noted more of it.
  const turn = (await deps.store.turns.listOpen()).find((open) => open.session === session);
  if (turn === undefined) return false;
  await recoverTurn(deps, turn, held, unkept?.get(turn.id));
  deps.log(`closed turn ${turn.id} of ${session}, which was left open`);
  return true;
}

export async function whileHeld(
  leases: SessionLeases,
  session: SessionId,
  job: (held: HeldLease) => Promise<void>,
): Promise<void> {
  // What this process itself has in hand is not left over from a crash.
  if (leases.isHeld(session)) return;
  const held = await leases.hold(session).catch((error: unknown) => {
    if (error instanceof Refusal && error.code === "busy") return undefined;
    throw error;
  });
  if (held === undefined) return;
  try {
    await job(held);
  } finally {
    await leases.release(session);
  }
}

/** What the runtime still knows is committed; without its word the turn is `interrupted`. */
async function recoverTurn(
  deps: AgentDeps,
  stored: StoredTurn,
  held: HeldLease,
  unkept?: Fault,
): Promise<void> {
  const input = await deps.store.inbox.get(stored.inbox);
  if (input === undefined) throw new Error(`turn ${stored.id} has no input row ${stored.inbox}`);
  const runtime = deps.runtimes[stored.runtime];
  const items = await deps.store.turns.items(stored.id);
  const progress = startProgress(items);
  const unconfirmed = await deps.store.inbox.inState("unconfirmed", stored.session);
  const sent = unconfirmed.filter(({ turn }) => turn === stored.id);
  const report = runtime && (await askRuntime(deps, runtime, stored, input, held, sent.length > 0));
  const { events, arrived } = report ?? nothingKnown;
  await settleSent(deps, stored, held, sent, arrived);
  for (const event of events) {
    if (event.type === "item") await commitItem(deps, held.lease, stored.id, event.item, progress);
  }
  await closeOpenCalls(deps, held.lease, stored.id, progress);
  const known: EndedEvent = events.findLast((event) => event.type === "ended") ?? {
    type: "ended",
    ...(unkept === undefined ? { outcome: "interrupted" } : { outcome: "failed", fault: unkept }),
    text: progress.text,
    calls: progress.calls,
  };
  const used = known.usage ?? stored.usage;
  const ended = used === undefined ? known : { ...known, usage: used };
  const usage = costRows(deps.spending, stored, withUncounted(ended), deps.clock.now());
  await commitEnd(deps, held.lease, stored.id, ended, input, { tell: true, usage });
}

type RuntimeReport = { readonly events: readonly TurnEvent[]; readonly arrived: ReadonlySet<string> };
const nothingKnown: RuntimeReport = { events: [], arrived: new Set() };

async function askRuntime(
  deps: AgentDeps,
  runtime: Runtime,
  stored: StoredTurn,
  input: StoredInput,
  held: HeldLease,
  wasSent: boolean,
): Promise<RuntimeReport> {
  try {
    const asked = await asOpenTurn(deps, stored, input, held);
    if (asked === undefined) return nothingKnown;
    const { open, ports } = asked;
    const events = await runtime.recover(open, ports);
    const arrived = wasSent ? await runtime.arrivedInputs?.(open, ports).catch(() => undefined) : undefined;
    return { events, arrived: arrived ?? nothingKnown.arrived };
  } catch (error) {
    deps.log(`${stored.runtime} could not say what became of turn ${stored.id}: ${String(error)}`);
    return nothingKnown;
  }
}
