import type { Session, StoredInput, StoredTurn } from "../../core/session.ts";
import { withinTime } from "../../lib/time-limit.ts";
import type { OpenTurn, Ports } from "../../runtimes/runtime.ts";
import type { AgentShared, OpenJob } from "../agent-shared.ts";
import type { AgentDeps } from "../index.ts";
import type { HeldLease } from "../session-lease.ts";
import { tellWords } from "../opening.ts";
import { turnInput } from "../turn-input.ts";
import { turnPorts } from "../turn-ports.ts";

/** A turn as its runtime is asked about it. `undefined`: its session is gone. */
export async function asOpenTurn(
  deps: AgentDeps,
  stored: StoredTurn,
  input: StoredInput,
  { lease, lost }: HeldLease,
): Promise<{ readonly open: OpenTurn; readonly ports: Ports } | undefined> {
  const session = await deps.store.sessions.get(stored.session);
  if (session === undefined) return undefined;
  // It is told nothing, so what is new in the memory is left for the next turn.
  const turn = await turnInput(deps, { turn: stored, session }, input.input, { memory: false });
  const items = await deps.store.turns.items(stored.id);
  const begun = (await deps.store.calls.open(stored.id)).map(({ id }) => id);
  const open: OpenTurn = {
    ...turn,
    items,
    begun,
    ...(stored.side === undefined ? {} : { side: stored.side }),
  };
  const ports = await turnPorts(deps, turn, lease, unattendedAsker(stored, input, session), lost);
  return { open, ports };
}

/** Nobody watches a repair, and nothing is done in it that would have to be allowed. */
const unattendedAsker = (
  { runtime }: StoredTurn,
  { key, from }: StoredInput,
  { audience }: Session,
): Parameters<typeof turnPorts>[3] => ({
  runtime,
  surface: key.surface,
  from,
  audience,
  attended: "none",
  say: () => {},
});

/**
 * What was sent into this turn is part of it if it has arrived; else it is set aside, and the person is told with the rest.
 * Resolves with what has arrived.
 */
export async function settleSent(
  { store, clock }: AgentDeps,
  { id: turn }: Pick<StoredTurn, "id">,
  { lease }: HeldLease,
  sent: readonly StoredInput[],
  arrived: ReadonlySet<string>,
): Promise<readonly StoredInput[]> {
  const taken: StoredInput[] = [];
  for (const input of sent) {
    if (!arrived.has(input.id)) await store.inbox.move(input.id, "unconfirmed", "kept");
    else if (await store.turns.steered(lease, turn, input.id, clock.now())) taken.push(input);
  }
  return taken;
}

/**
 * The same for a turn that ends here, with whatever nobody could say of while it ran. It stays unconfirmed if the runtime cannot say so
 * now, either. Never rejects.
 */
export async function settleUnsure(
  { deps, events }: Pick<AgentShared, "deps" | "events">,
  { turn, held, input, unsure }: Pick<OpenJob, "turn" | "held" | "input" | "unsure">,
): Promise<readonly StoredInput[]> {
  const sent = unsure.splice(0);
  if (sent.length === 0) return [];
  try {
    const arrived = await withinTime(answerMs, deps.clock, held.lost, (signal) =>
      askArrived(deps, turn, input, { ...held, lost: signal }),
    );
    if (arrived.end !== "done" || arrived.value === undefined) return [];
    const taken = await settleSent(deps, turn, held, sent, arrived.value);
    for (const row of taken) tellWords(events, turn.id, row, true);
    return taken;
  } catch (error) {
    deps.log(`what was said into turn ${turn.id} could not be settled: ${String(error)}`);
    return [];
  }
}

/** Long enough to start a runtime anew that was stuck, and to read what it has written down. */
const answerMs = 10_000;

async function askArrived(
  deps: AgentDeps,
  { id, runtime }: StoredTurn,
  input: StoredInput,
  held: HeldLease,
): Promise<ReadonlySet<string> | undefined> {
  // On which side it runs is known since it began.
  const stored = await deps.store.turns.get(id);
  const asked = stored && (await asOpenTurn(deps, stored, input, held));
  return asked && deps.runtimes[runtime]?.arrivedInputs?.(asked.open, asked.ports);
}
