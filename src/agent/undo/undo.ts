import { Refusal, type Undone } from "../../core/host.ts";
import type { SessionId } from "../../core/ids.ts";
import type { InputPart } from "../../core/messages.ts";
import type { Principal } from "../../core/principal.ts";
import type { StoredTurn } from "../../core/session.ts";
import type { Store } from "../../store/store.ts";
import { betweenTurns, requireNoOpenTurn } from "../between-turns.ts";
import { requireOwnTurns } from "../own-turns.ts";
import { type SessionHistory, loadSessionHistory } from "../session-history.ts";
import type { AgentShared } from "../agent-shared.ts";

/**
 * Leaves the last turns out of what models are given. Their rows stay, and what they did stays done. A runtime that keeps
 * the conversation itself is told it anew with the next turn.
 */
export const undo = (shared: AgentShared, id: SessionId, count: number, by?: Principal): Promise<Undone> =>
  betweenTurns(shared, id, async (_session, { lease }) => {
    const { store } = shared.deps;
    await requireNoOpenTurn(shared.deps, id);
    const turns = lastTurns(await loadSessionHistory(store, id), count);
    await requireOwnTurns(store, turns, by);
    const undone = await describeUndone(store, turns);
    await store.turns.undo(
      lease,
      turns.map((turn) => turn.id),
    );
    return undone;
  });

/** Takes the last `undo` back as a whole, if nothing was said since. */
export const redo = (shared: AgentShared, id: SessionId, by?: Principal): Promise<Undone> =>
  betweenTurns(shared, id, async (_session, { lease }) => {
    const { store } = shared.deps;
    if (by !== undefined) {
      const undone = (await store.sessions.turns(id)).filter((turn) => turn.undone === true);
      await requireOwnTurns(store, undone, by);
    }
    const turns = await store.turns.redo(lease);
    if (turns === "none") throw nothing("There is nothing to bring back: no turn is taken back.");
    if (turns === "since") {
      throw nothing("It cannot be brought back: something was said since it was taken back.");
    }
    return describeUndone(store, turns);
  });

function lastTurns({ turns, compactions }: SessionHistory, count: number): readonly StoredTurn[] {
  if (turns.length === 0) throw nothing("There is nothing to take back.");
  if (!Number.isInteger(count) || count < 1) {
    throw new Refusal("usage", `${count} is not a number of turns.`, "Take back 1 turn or more.");
  }
  if (count > turns.length) {
    const most = turns.length === 1 ? "is only 1 turn" : `are only ${turns.length} turns`;
    throw new Refusal("usage", `There ${most} to take back.`, `Take back ${turns.length} at most.`);
  }
  const last = turns.slice(-count);
  const summary = compactions.findLast((one) => one.summary !== undefined);
  const isSummarised = last.some(({ rows }) => rows.some(({ seq }) => seq <= (summary?.upTo ?? 0)));
  if (!isSummarised) return last.map(({ turn }) => turn);
  throw new Refusal(
    "usage",
    "That part of the conversation is already summarised, and the summary would still tell of it.",
    "Take the summary back first: /compress undo.",
  );
}

const nothing = (message: string): Refusal =>
  new Refusal("usage", message, "See the conversation with /history.");

async function describeUndone(store: Store, turns: readonly StoredTurn[]): Promise<Undone> {
  const inputs = await Promise.all(turns.map((turn) => inputOf(store, turn)));
  const items = await Promise.all(turns.map(({ id }) => store.turns.items(id)));
  return {
    turns: turns.map(({ id }, at) => ({ id, input: inputs[at] ?? [] })),
    changes: items.flat().filter((item) => item.kind === "call" && item.diff !== undefined).length,
  };
}

/** All that the person said to it: what began it, and what they said while it ran. */
async function inputOf(store: Store, { id, session, inbox }: StoredTurn): Promise<readonly InputPart[]> {
  const first = await store.inbox.get(inbox);
  const more = (await store.inbox.inState("steered", session)).filter(({ turn }) => turn === id);
  return [...(first?.input ?? []), ...more.flatMap(({ input }) => input)];
}
