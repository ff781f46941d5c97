import type { InboxId, SessionId, TurnId } from "../ids.ts";
import type { Json } from "../json.ts";
import type { Role } from "../principal.ts";
import type { TurnChoices } from "../host.ts";
import type { ChatMessage, OutFile, Platform } from "./chat.ts";

/** A chat of a bot, as inbox and outbox name it (`chatName`). */
export type ChatKey = { readonly surface: Platform; readonly account: string; readonly chat: string };

/**
 * received: stored, nothing done yet · sealed: it goes into the input that is named after `group` · done: it was admitted, was a command, or
 * nobody may say it (`fate` says which)
 */
export type ReceivedState = "received" | "sealed" | "done";
export type ReceivedFate = "admitted" | "command" | "answer" | "ignored" | "stranger" | "failed";

/** A message of a chat as it came, before and after it was admitted. */
export type ReceivedMessage = {
  readonly id: string;
  readonly message: ChatMessage;
  readonly receivedAt: number;
  readonly state: ReceivedState;
  /** The `messageId` of the first message of those that are admitted together. */
  readonly group?: string;
  readonly fate?: ReceivedFate;
  readonly inbox?: InboxId;
  readonly note?: string;
};

/** What came in from chats. A message is in it once, however often it is delivered. */
export interface ReceivedTable {
  /** `fresh: false`: it is there, and nothing was written. Also notes it as the last one that was seen in its chat. */
  add(message: ChatMessage, at: number): Promise<{ readonly row: ReceivedMessage; readonly fresh: boolean }>;
  get(id: string): Promise<ReceivedMessage | undefined>;
  /** By the id of a row or how it begins, or the platform's own name of a message; newest first, at most 10. */
  find(idOrMessage: string): Promise<readonly ReceivedMessage[]>;
  /** Not done, in the order of their platform within each chat, oldest first. */
  open(surface: Platform, account: string): Promise<readonly ReceivedMessage[]>;
  /** From `received` to `sealed`, all in one: they make one input, named after the first. Those that are not `received` are left; gives the sealed. */
  seal(ids: readonly string[]): Promise<readonly ReceivedMessage[]>;
  /** Once; false: it was done before. */
  done(
    ids: readonly string[],
    fate: ReceivedFate,
    also?: { readonly inbox?: InboxId; readonly note?: string },
  ): Promise<boolean>;
  /** The last message that was stored of each chat, by the platform's order. */
  seen(surface: Platform, account: string): Promise<ReadonlyMap<string, string>>;
  /** Words and files of what is done and older go; the rows stay, so that what comes again is known. */
  forgetBodies(before: number): Promise<number>;
}

/** What a chat goes on with. `person`: whose it is where everybody in a group has their own; else empty. */
export type ChatPlace = ChatKey & { readonly person: string };

export type StoredChat = ChatPlace & {
  /** The session of its next message: planned before it exists, so that a message that is taken in again goes into the same one. */
  readonly session?: SessionId;
  readonly choices: TurnChoices;
  readonly title?: string;
  readonly room: "direct" | "group";
  readonly roomName?: string;
  /** The message of ours that says what is being done, while it is there. */
  readonly status?: string;
  readonly updatedAt: number;
};

export interface ChatTable {
  get(place: ChatPlace): Promise<StoredChat | undefined>;
  /** `undefined` leaves a field as it is, `null` removes it. */
  change(
    place: ChatPlace & Pick<StoredChat, "room" | "roomName">,
    change: {
      readonly session?: SessionId | null;
      readonly choices?: TurnChoices;
      readonly title?: string | null;
      readonly status?: string | null;
    },
    at: number,
  ): Promise<StoredChat>;
  /** Where this session is held. */
  ofSession(session: SessionId): Promise<readonly StoredChat[]>;
  /** Those whose status message is still there. */
  withStatus(surface: Platform, account: string): Promise<readonly StoredChat[]>;
  list(limit: number): Promise<readonly StoredChat[]>;
}

/** Somebody who was let in, or a whole group or channel (`id` is that of the chat): then whoever writes there has this role. */
export type StoredPerson = {
  readonly surface: Platform;
  readonly id: string;
  readonly name?: string;
  readonly role: Exclude<Role, "program">;
  readonly allowedAt: number;
  readonly revokedAt?: number;
  /** The direct chat in which they were last heard, as inbox and outbox name it. */
  readonly direct?: ChatKey;
};

/** Somebody who has asked to be let in. Of the code a hash is kept. */
export type StoredPairing = {
  readonly surface: Platform;
  readonly id: string;
  readonly name?: string;
  readonly chat: ChatKey;
  readonly askedAt: number;
  readonly expiresAt: number;
};

export interface PeopleTable {
  list(): Promise<readonly StoredPerson[]>;
  /** Also who was put out, with `revokedAt`. */
  get(surface: Platform, id: string): Promise<StoredPerson | undefined>;
  allow(person: Omit<StoredPerson, "allowedAt" | "revokedAt" | "direct">, at: number): Promise<StoredPerson>;
  /** `undefined`: nobody of that name is let in. */
  revoke(surface: Platform, id: string, at: number): Promise<StoredPerson | undefined>;
  /** Where they can be told something. */
  heardIn(surface: Platform, id: string, name: string, chat: ChatKey): Promise<void>;
  /**
   * Puts a request down, in one transaction with its limits: three that wait on a platform, one of a person in ten minutes (`soon`), and
   * none for an hour after five wrong codes (`locked`). Expired ones go.
   */
  ask(pairing: StoredPairing, codeHash: string): Promise<"asked" | "soon" | "many" | "locked">;
  pairings(at: number): Promise<readonly StoredPairing[]>;
  /** Whether this code would let somebody in now. Uses nothing up and counts nothing. */
  isWaiting(codeHash: string, at: number): Promise<boolean>;
  /** Uses the code up and lets them in. `wrong` counts; five in an hour lock it for an hour. */
  confirm(
    codeHash: string,
    role: StoredPerson["role"],
    at: number,
  ): Promise<StoredPerson | "wrong" | "locked">;
}

/**
 * pending: to be sent · sending: the platform was asked · sent: it said so · refused: not before `until` · ambiguous: it may have arrived, and a
 * person decides · dead: it will not be sent
 */
export type OutboxState = "pending" | "sending" | "sent" | "refused" | "ambiguous" | "dead";

/**
 * What is to be said in a chat. answer: Markdown, not cut into parts yet · part: a `Part` of its adapter · file: one that a turn wants to
 * send, its words in Markdown; the adapter makes a part of it when it is sent
 */
export type OutboxBody =
  | { readonly kind: "answer"; readonly markdown: string }
  | { readonly kind: "part"; readonly part: Json }
  | { readonly kind: "file"; readonly file: OutFile; readonly caption?: string };

export type NewOutbox = ChatKey & {
  readonly body: OutboxBody;
  readonly turn?: TurnId;
  /** The platform's name of the message that it answers. */
  readonly replyTo?: string;
  /** The question that it asks (`apr_…`, `inq_…`), or the outcome that it tells of (`out_…`). */
  readonly about?: string;
  /** It waits until then (quiet hours). */
  readonly until?: number;
};

/**
 * Of what a call of the row's `turn` sends. `id`: derived from the call, so that it is there once, however often the call is run. `epoch`: by
 * which the turn may write its session.
 */
export type ByCall = { readonly id: string; readonly session: SessionId; readonly epoch: number };

export type StoredOutbox = NewOutbox & {
  readonly id: string;
  /** Counts the parts of one answer. */
  readonly part: number;
  readonly state: OutboxState;
  readonly attempts: number;
  readonly at: number;
  readonly settledAt?: number;
  readonly platformId?: string;
  /** Why it is refused, ambiguous or dead. */
  readonly why?: string;
  /** Of a question: its message still shows buttons. */
  readonly isOpen: boolean;
};

/**
 * What goes out to chats, in order within each. Bodies of what is sent or dead go after 30 days, and are then `{ kind: "part", part: null }`;
 * rows stay.
 */
export interface OutboxTable {
  /**
   * `byCall`: if it is there already, that is the answer, and nothing is written; a turn that has ended sends nothing more, and is told so by a
   * throw; rejects with a StaleLeaseError when the session is another one's now, in the same transaction.
   */
  add(row: NewOutbox & { readonly byCall?: ByCall }, at: number): Promise<StoredOutbox>;
  get(id: string): Promise<StoredOutbox | undefined>;
  /** By the id of a row or how it begins, or the platform's own name of a message; newest first, at most 10. */
  find(idOrMessage: string): Promise<readonly StoredOutbox[]>;
  ofTurn(turn: TurnId): Promise<readonly StoredOutbox[]>;
  about(about: string): Promise<readonly StoredOutbox[]>;
  /** Not settled yet (pending, sending, refused), in the order in which they are to be sent. */
  due(surface: Platform, account: string): Promise<readonly StoredOutbox[]>;
  inState(state: OutboxState, surface?: Platform): Promise<readonly StoredOutbox[]>;
  /**
   * An answer becomes its parts, in its place in the line. Only while it is pending and an answer; else nothing, and `undefined`. Its own
   * row is the first part, which alone has `replyTo`. Without any part it is dead.
   */
  cut(id: string, parts: readonly Json[]): Promise<readonly StoredOutbox[] | undefined>;
  /**
   * Only from one of `from`; moving to `sending` counts an attempt. False: it was in another state, or it is to be sent while another one of
   * its chat is. `until` and `why` hold until the next move. `lease`: the bot's; rejects with a StaleLeaseError when that is another one's
   * now, in the same transaction.
   */
  move(
    id: string,
    from: readonly OutboxState[],
    to: OutboxState,
    also: {
      readonly at: number;
      readonly platformId?: string;
      readonly why?: string;
      readonly until?: number;
    },
    lease?: { readonly duty: `bot:${string}`; readonly epoch: number },
  ): Promise<boolean>;
  /** Questions whose messages show buttons. */
  openQuestions(surface: Platform, account: string): Promise<readonly StoredOutbox[]>;
  closeQuestion(id: string): Promise<boolean>;
  forgetBodies(before: number): Promise<number>;
}
