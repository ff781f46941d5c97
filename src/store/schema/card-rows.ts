import type { Generated } from "kysely";
import type {
  Block,
  CardId,
  CardRunId,
  CardState,
  Releaser,
  RunOutcome,
  Workspace,
} from "../../core/cards/cards.ts";
import type { Mover } from "./card-table.ts";

export type CardTables = {
  readonly board: { readonly name: string; readonly created_at: number };
  readonly card: CardRow;
  readonly card_link: { readonly parent: CardId; readonly child: CardId };
  readonly card_run: CardRunRow;
  readonly card_comment: CardCommentRow;
  readonly card_event: CardEventRow;
};

export type CardRow = {
  readonly id: CardId;
  readonly board: string;
  readonly title: string;
  readonly body: string | null;
  readonly state: CardState;
  readonly priority: number;
  readonly workspace: Workspace;
  readonly runtime: string | null;
  readonly model: string | null;
  readonly block_kind: Block["kind"] | null;
  readonly block_reason: string | null;
  readonly block_releaser: Releaser | null;
  readonly block_until: number | null;
  readonly last_block: string | null;
  readonly failures: number;
  readonly failure_limit: number;
  readonly epoch: number;
  readonly run: CardRunId | null;
  readonly made_by: string;
  readonly created_at: number;
  readonly changed_at: number;
  readonly done_at: number | null;
  /** JSON of its terms, and what of them is counted. */
  readonly terms: string | null;
  readonly by_model: number;
  /** Who wrote it last; the database looks at it. */
  readonly moved_by: Mover;
  readonly moved_run: CardRunId | null;
};

export type CardRunRow = {
  readonly id: CardRunId;
  readonly card: CardId;
  readonly epoch: number;
  /** Its own id while it is under way. */
  readonly open_id: CardRunId | null;
  readonly owner_host: string | null;
  readonly owner_pid: number | null;
  readonly owner_start_time: string | null;
  readonly session: string | null;
  readonly claimed_at: number;
  readonly heartbeat_at: number;
  readonly expires_at: number;
  readonly ended_at: number | null;
  readonly outcome: RunOutcome | null;
  readonly summary: string | null;
  readonly error: string | null;
  /** Json */
  readonly evidence: string | null;
};

export type CardCommentRow = {
  readonly seq: Generated<number>;
  readonly card: CardId;
  readonly at: number;
  readonly by_name: string;
  readonly run: CardRunId | null;
  readonly text: string;
};

export type CardEventRow = {
  readonly seq: Generated<number>;
  readonly card: CardId;
  readonly at: number;
  readonly what: string;
  readonly by_name: string;
  readonly run: CardRunId | null;
  readonly from_state: CardState | null;
  readonly to_state: CardState;
  readonly detail: string | null;
};
