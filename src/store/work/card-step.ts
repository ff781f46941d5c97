import type { Transaction } from "kysely";
import type { CardId, CardState } from "../../core/cards/cards.ts";
import type { CardStep, SeenCard } from "../schema/card-table.ts";
import type { Database } from "../schema/database.ts";
import { insertOutcome, insertWork } from "./outcomes.ts";
import { changedColumns } from "./stored-card.ts";

type Tx = Transaction<Database>;

/** A new card, with its links. */
export async function addCard(tx: Tx, step: CardStep): Promise<void> {
  const moved = { moved_by: step.mover, moved_run: step.run ?? null };
  await tx
    .insertInto("card")
    .values({ ...changedColumns(step.next), ...moved })
    .execute();
  await link(tx, step);
  await log(tx, step, undefined);
}

/**
 * Writes a step, in the order that the rules of the database ask for: a card that goes back lets those go back first that
 * wait for it, and one that is done is written before them.
 */
export async function applyStep(tx: Tx, seen: SeenCard, step: CardStep): Promise<void> {
  const others = step.others ?? [];
  await moveOthers(tx, seen, step, "todo");
  if (step.comment !== undefined) await comment(tx, step, step.comment);
  await writeRuns(tx, seen, step);
  const { id, ...columns } = changedColumns(step.next);
  const moved = { moved_by: step.mover, moved_run: step.run ?? null };
  // Before the links: a card that is to wait for another is not ready any more. A link that is gone lets it be ready.
  await unlink(tx, step);
  await tx
    .updateTable("card")
    .set({ ...columns, ...moved })
    .where("id", "=", id)
    .execute();
  await link(tx, step);
  if (step.work !== undefined) await insertWork(tx, step.work);
  if (step.tells !== undefined) await insertOutcome(tx, step.tells);
  if (others.length > 0) await moveOthers(tx, seen, step, "ready");
  await log(tx, step, seen.card.state);
}

async function writeRuns(tx: Tx, { run, now }: SeenCard, { ends, begins, beats }: CardStep): Promise<void> {
  const open = tx.updateTable("card_run").where("id", "=", run?.id ?? "t_.0");
  if (ends !== undefined)
    await open
      .set({
        open_id: null,
        ended_at: now,
        outcome: ends.outcome ?? null,
        summary: ends.summary ?? null,
        error: ends.error ?? null,
        evidence: ends.evidence === undefined ? null : JSON.stringify(ends.evidence),
      })
      .execute();
  if (beats !== undefined)
    await open.set({ heartbeat_at: beats.heartbeatAt, expires_at: beats.expiresAt }).execute();
  if (begins === undefined) return;
  const { id, owner, evidence } = begins;
  await tx
    .insertInto("card_run")
    .values({
      id,
      card: id.slice(0, id.lastIndexOf(".")) as CardId,
      epoch: begins.epoch,
      open_id: begins.endedAt === undefined ? id : null,
      owner_host: owner?.host ?? null,
      owner_pid: owner?.pid ?? null,
      owner_start_time: owner?.startTime ?? null,
      session: begins.session ?? null,
      claimed_at: begins.claimedAt,
      heartbeat_at: begins.heartbeatAt,
      expires_at: begins.expiresAt,
      ended_at: begins.endedAt ?? null,
      outcome: begins.outcome ?? null,
      summary: begins.summary ?? null,
      error: begins.error ?? null,
      evidence: evidence === undefined ? null : JSON.stringify(evidence),
    })
    .execute();
}

async function link(tx: Tx, { next, linked = [] }: CardStep): Promise<void> {
  for (const parent of linked) await tx.insertInto("card_link").values({ parent, child: next.id }).execute();
}

async function unlink(tx: Tx, { next, unlinked = [] }: CardStep): Promise<void> {
  for (const parent of unlinked)
    await tx.deleteFrom("card_link").where("parent", "=", parent).where("child", "=", next.id).execute();
}

async function moveOthers(
  tx: Tx,
  { now, children }: SeenCard,
  { others = [], next }: CardStep,
  to: CardState,
): Promise<void> {
  for (const { id, state } of others.filter((other) => other.state === to)) {
    await tx
      .updateTable("card")
      .set({ state, changed_at: now, moved_by: "parents", moved_run: null })
      .where("id", "=", id)
      .execute();
    const from = children.find((child) => child.id === id)?.state ?? null;
    await tx
      .insertInto("card_event")
      .values({
        card: id,
        at: now,
        what: state === "ready" ? "released" : "waits",
        by_name: next.id,
        run: null,
        from_state: from,
        to_state: state,
        detail: null,
      })
      .execute();
  }
}

async function comment(tx: Tx, { next, by, run }: CardStep, text: string): Promise<void> {
  const said = { card: next.id, at: next.changedAt, by_name: by, run: run ?? null, text };
  await tx.insertInto("card_comment").values(said).execute();
}

async function log(
  tx: Tx,
  { next, what, by, run, detail, beats }: CardStep,
  from: CardState | undefined,
): Promise<void> {
  if (beats !== undefined) return;
  await tx
    .insertInto("card_event")
    .values({
      card: next.id,
      at: next.changedAt,
      what,
      by_name: by,
      run: run ?? null,
      from_state: from ?? null,
      to_state: next.state,
      detail: detail ?? null,
    })
    .execute();
}
