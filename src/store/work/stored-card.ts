import type { Selectable } from "kysely";
import type { Card, CardComment, CardEvent, CardRun, CardTerms } from "../../core/cards/cards.ts";
import type { Json } from "../../core/json.ts";
import { present } from "../present.ts";
import type { CardCommentRow, CardEventRow, CardRow, CardRunRow } from "../schema/card-rows.ts";

export function cardOf(row: CardRow): Card {
  const block = row.block_kind !== null && {
    kind: row.block_kind,
    reason: row.block_reason ?? "",
    releaser: row.block_releaser ?? "person",
    ...present({ until: row.block_until }),
  };
  return {
    id: row.id,
    board: row.board,
    title: row.title,
    state: row.state,
    priority: row.priority,
    workspace: row.workspace,
    failures: row.failures,
    failureLimit: row.failure_limit,
    epoch: row.epoch,
    madeBy: row.made_by,
    createdAt: row.created_at,
    changedAt: row.changed_at,
    ...present({
      body: row.body,
      runtime: row.runtime,
      model: row.model,
      lastBlock: row.last_block,
      run: row.run,
      doneAt: row.done_at,
    }),
    ...(block === false ? {} : { block }),
    ...(row.terms === null ? {} : { terms: JSON.parse(row.terms) as CardTerms }),
  };
}

/** What of a card changes with a step. */
export const changedColumns = (card: Card): Omit<CardRow, "moved_by" | "moved_run"> => ({
  id: card.id,
  board: card.board,
  title: card.title,
  body: card.body ?? null,
  state: card.state,
  priority: card.priority,
  workspace: card.workspace,
  runtime: card.runtime ?? null,
  model: card.model ?? null,
  block_kind: card.block?.kind ?? null,
  block_reason: card.block?.reason ?? null,
  block_releaser: card.block?.releaser ?? null,
  block_until: card.block?.until ?? null,
  last_block: card.lastBlock ?? null,
  failures: card.failures,
  failure_limit: card.failureLimit,
  epoch: card.epoch,
  run: card.run ?? null,
  made_by: card.madeBy,
  created_at: card.createdAt,
  changed_at: card.changedAt,
  done_at: card.doneAt ?? null,
  terms: card.terms === undefined ? null : JSON.stringify(card.terms),
  by_model: card.terms?.byModel === true ? 1 : 0,
});

export const runOf = (row: CardRunRow): CardRun => ({
  id: row.id,
  card: row.card,
  epoch: row.epoch,
  claimedAt: row.claimed_at,
  heartbeatAt: row.heartbeat_at,
  expiresAt: row.expires_at,
  ...(row.owner_host === null || row.owner_pid === null || row.owner_start_time === null
    ? {}
    : { owner: { host: row.owner_host, pid: row.owner_pid, startTime: row.owner_start_time } }),
  ...present({
    session: row.session,
    endedAt: row.ended_at,
    outcome: row.outcome,
    summary: row.summary,
    error: row.error,
  }),
  ...(row.evidence === null ? {} : { evidence: JSON.parse(row.evidence) as Json }),
});

export const commentOf = (row: Selectable<CardCommentRow>): CardComment => ({
  at: row.at,
  by: row.by_name,
  text: row.text,
  ...present({ run: row.run }),
});

export const eventOf = (row: Selectable<CardEventRow>): CardEvent => ({
  at: row.at,
  what: row.what,
  by: row.by_name,
  to: row.to_state,
  ...present({ run: row.run, from: row.from_state, detail: row.detail }),
});
