import type { Step } from "../schema/step.ts";
import { outboxStep } from "./outbox-schema.ts";

const received: Step = [
  // No reference to the inbox: what came in is known when its session is deleted, so that it is not taken in again.
  `CREATE TABLE received (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    surface TEXT NOT NULL,
    account TEXT NOT NULL,
    chat TEXT NOT NULL,
    message_id TEXT NOT NULL,
    position TEXT NOT NULL,
    head TEXT NOT NULL CHECK (json_valid(head)),
    body TEXT CHECK (body IS NULL OR json_valid(body)),
    received_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('received', 'sealed', 'done')),
    sealed_as TEXT,
    fate TEXT CHECK (fate IN ('admitted', 'command', 'answer', 'ignored', 'stranger', 'failed')),
    inbox TEXT,
    note TEXT,
    UNIQUE (surface, account, chat, message_id),
    CHECK (state <> 'received' OR sealed_as IS NULL),
    CHECK (state <> 'sealed' OR sealed_as IS NOT NULL),
    CHECK ((state = 'done') = (fate IS NOT NULL)),
    CHECK (state = 'done' OR (inbox IS NULL AND body IS NOT NULL))
  ) STRICT`,
  `CREATE INDEX received_open ON received (surface, account) WHERE state <> 'done'`,
  `CREATE INDEX received_message ON received (message_id)`,
  `CREATE INDEX received_inbox ON received (inbox) WHERE inbox IS NOT NULL`,
  `CREATE INDEX received_bodies ON received (received_at) WHERE body IS NOT NULL`,
  `CREATE TRIGGER received_unchanged BEFORE UPDATE ON received
    WHEN (new.seq, new.id, new.surface, new.account, new.chat, new.message_id, new.position, new.head, new.received_at)
      IS NOT (old.seq, old.id, old.surface, old.account, old.chat, old.message_id, old.position, old.head, old.received_at)
      OR (new.body IS NOT NULL AND new.body IS NOT old.body)
  BEGIN
    SELECT RAISE(ABORT, 'what came in does not change');
  END`,
  `CREATE TRIGGER received_once BEFORE UPDATE ON received
    WHEN (old.state = 'done' AND (new.state, new.fate, new.inbox, new.note) IS NOT (old.state, old.fate, old.inbox, old.note))
      OR (old.state = 'sealed' AND new.state = 'received')
      OR (old.state <> 'received' AND new.sealed_as IS NOT old.sealed_as)
  BEGIN
    SELECT RAISE(ABORT, 'what became of it does not change');
  END`,
  `CREATE TRIGGER received_kept BEFORE DELETE ON received
  BEGIN
    SELECT RAISE(ABORT, 'what came in is kept, so that it is known when it comes again');
  END`,
  // Its words go with the session in which they were said.
  `CREATE TRIGGER received_of_deleted AFTER DELETE ON inbox
  BEGIN
    UPDATE received SET body = NULL WHERE inbox = old.id AND body IS NOT NULL;
  END`,

  `CREATE TABLE seen_message (
    surface TEXT NOT NULL,
    account TEXT NOT NULL,
    chat TEXT NOT NULL,
    message_id TEXT NOT NULL,
    position TEXT NOT NULL,
    PRIMARY KEY (surface, account, chat)
  ) STRICT`,
];

const chats: Step = [
  // No reference to the session: it is planned before it exists.
  `CREATE TABLE chat_place (
    surface TEXT NOT NULL,
    account TEXT NOT NULL,
    chat TEXT NOT NULL,
    person TEXT NOT NULL,
    session TEXT,
    choices TEXT NOT NULL CHECK (json_valid(choices)),
    title TEXT,
    room TEXT NOT NULL CHECK (room IN ('direct', 'group')),
    room_name TEXT,
    status TEXT,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (surface, account, chat, person)
  ) STRICT`,
  `CREATE INDEX chat_place_session ON chat_place (session) WHERE session IS NOT NULL`,
  `CREATE INDEX chat_place_status ON chat_place (surface, account) WHERE status IS NOT NULL`,
  `CREATE INDEX chat_place_newest ON chat_place (updated_at)`,
  `CREATE TRIGGER chat_place_of_deleted AFTER DELETE ON session
  BEGIN
    UPDATE chat_place SET session = NULL WHERE session = old.id;
  END`,
];

const people: Step = [
  `CREATE TABLE person (
    surface TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT,
    role TEXT NOT NULL CHECK (role IN ('owner', 'member', 'guest')),
    allowed_at INTEGER NOT NULL,
    revoked_at INTEGER,
    direct_account TEXT,
    direct_chat TEXT,
    PRIMARY KEY (surface, id),
    CHECK ((direct_account IS NULL) = (direct_chat IS NULL))
  ) STRICT`,

  `CREATE TABLE pairing (
    surface TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT,
    account TEXT NOT NULL,
    chat TEXT NOT NULL,
    code TEXT NOT NULL UNIQUE,
    asked_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (surface, id)
  ) STRICT`,
  `CREATE TRIGGER pairing_few BEFORE INSERT ON pairing
    WHEN 3 <= (
      SELECT count(*) FROM pairing WHERE surface = new.surface AND id <> new.id AND expires_at > new.asked_at
    )
  BEGIN
    SELECT RAISE(ABORT, 'three requests wait already');
  END`,

  // The fifth in an hour says until when no code is taken.
  `CREATE TABLE wrong_code (
    seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    locked_until INTEGER
  ) STRICT`,
  `CREATE INDEX wrong_code_at ON wrong_code (at)`,
];

/** Chats: what came in, what goes out, with what each goes on, and who is let in. */
export const gatewayStep: Step = [...outboxStep, ...received, ...chats, ...people];
