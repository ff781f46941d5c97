import type { Generated } from "kysely";
import type { Platform } from "../../core/gateway/chat.ts";
import type { OutboxState, ReceivedFate, ReceivedState, StoredPerson } from "../../core/gateway/tables.ts";
import type { InboxId, SessionId, TurnId } from "../../core/ids.ts";

export type GatewayTables = {
  readonly outbox: OutboxRow;
  readonly received: ReceivedRow;
  readonly seen_message: ChatColumns & { readonly message_id: string; readonly position: string };
  readonly chat_place: ChatPlaceRow;
  readonly person: PersonRow;
  readonly pairing: PairingRow;
  readonly wrong_code: {
    readonly seq: Generated<number>;
    readonly at: number;
    readonly locked_until: number | null;
  };
};

type ChatColumns = { readonly surface: Platform; readonly account: string; readonly chat: string };

export type OutboxRow = ChatColumns & {
  readonly seq: Generated<number>;
  readonly id: string;
  readonly turn_id: TurnId | null;
  readonly reply_to: string | null;
  readonly about: string | null;
  /** Whose place in the line it has, if not its own. */
  readonly rank: number | null;
  readonly part: number;
  /** OutboxBody, until it is forgotten */
  readonly body: string | null;
  readonly body_hash: string;
  readonly state: OutboxState;
  readonly until: number | null;
  readonly attempts: Generated<number>;
  readonly platform_id: Generated<string | null>;
  readonly why: Generated<string | null>;
  readonly at: number;
  readonly settled_at: Generated<number | null>;
  readonly is_open: number;
};

export type ReceivedRow = ChatColumns & {
  readonly seq: Generated<number>;
  readonly id: string;
  readonly message_id: string;
  /** ChatMessage.order */
  readonly position: string;
  /** ChatMessage without its words */
  readonly head: string;
  /** Its words and files, until they are forgotten */
  readonly body: string | null;
  readonly received_at: number;
  readonly state: ReceivedState;
  readonly sealed_as: Generated<string | null>;
  readonly fate: Generated<ReceivedFate | null>;
  readonly inbox: Generated<InboxId | null>;
  readonly note: Generated<string | null>;
};

export type ChatPlaceRow = ChatColumns & {
  readonly person: string;
  readonly session: SessionId | null;
  /** TurnChoices */
  readonly choices: string;
  readonly title: string | null;
  readonly room: "direct" | "group";
  readonly room_name: string | null;
  readonly status: string | null;
  readonly updated_at: number;
};

export type PersonRow = {
  readonly surface: Platform;
  readonly id: string;
  readonly name: string | null;
  readonly role: StoredPerson["role"];
  readonly allowed_at: number;
  readonly revoked_at: number | null;
  readonly direct_account: string | null;
  readonly direct_chat: string | null;
};

export type PairingRow = ChatColumns & {
  readonly id: string;
  readonly name: string | null;
  /** sha256 of the code. */
  readonly code: string;
  readonly asked_at: number;
  readonly expires_at: number;
};
