import type { EndedEvent } from "../../core/events.ts";
import { type InboxId, type ItemId, type SessionId, type TurnId, asId, newId } from "../../core/ids.ts";
import type { TextItem } from "../../core/items.ts";
import type { InputPart, Message } from "../../core/messages.ts";
import type { NewSession } from "../../core/session.ts";
import type { Admission, Lease, Owner, Reply, Store } from "../store.ts";
import { localOwner } from "../../core/principal.ts";

/** A fresh store under test. Disposing it closes everything and removes the data. */
export type Opened = AsyncDisposable & {
  readonly store: Store;
  /** Writes of the same moment have one commit, or each its own. */
  readonly sharesCommits: boolean;
  /** Closes the store and opens the same data again. */
  reopen(): Promise<Store>;
  /** One more store over the same data, as another process would have it. */
  another(): Promise<Store>;
  /** Something that differs when any row does, where that is much faster to have than `everything`. */
  rows?(): Promise<unknown>;
};

/**
 * Called around every statement; what it throws, the statement fails with. Where statements take time anyway, a promise is
 * waited for.
 */
export type OpenOptions = {
  readonly onStatement?: (sql: string, when: "before" | "after") => void | Promise<void>;
};

export type Open = (options?: OpenOptions) => Promise<Opened>;

let count = 0;
const next = (): number => (count += 1);

export const owner = (pid = 1): Owner => ({ host: "here", pid, startTime: `start-${pid}` });
export const nobodyIsGone = (): boolean => false;
export const text = (words: string): readonly InputPart[] => [{ type: "text", text: words }];
export const item = (id: string): ItemId => asId<"itm">(id);
export const said = (id: string, words = id): TextItem => ({ id: item(id), kind: "text", text: words });
/** What a turn answers in a chat. */
export const reply = (markdown: string, also: Partial<Reply> = {}): Reply => ({
  surface: "telegram",
  account: "bot",
  chat: "c",
  body: { kind: "answer", markdown },
  ...also,
});
export const done: EndedEvent = { type: "ended", outcome: "done", text: "", calls: 0 };

export const newSession = (also: Partial<NewSession> = {}): NewSession => ({
  id: newId("ses", next()),
  cwd: "/work",
  surface: "cli",
  audience: "owner",
  ...also,
});

export function admission(session: SessionId | NewSession, also: Partial<Admission> = {}): Admission {
  const number = next();
  return {
    id: newId("inb", number),
    key: { surface: "cli", account: "", chat: "", messageId: String(number) },
    from: localOwner("cli"),
    session,
    input: text(`input ${number}`),
    at: number,
    ...also,
  };
}

export async function hold(store: Store, session: SessionId, at = 0): Promise<Lease> {
  const got = await store.leases.acquire(session, owner(), at, nobodyIsGone);
  if ("busy" in got) throw new Error(`${session} is busy`);
  return got.lease;
}

export type OpenedTurn = {
  readonly session: SessionId;
  readonly lease: Lease;
  readonly inbox: InboxId;
  readonly turn: TurnId;
};

/** A session with one open turn whose input was these words. */
export async function startTurn(
  store: Store,
  words = "hello",
  also: Partial<NewSession> = {},
): Promise<OpenedTurn> {
  const session = newSession(also);
  const lease = await hold(store, session.id);
  return { ...(await nextTurn(store, lease, words, session)), lease };
}

/** One more turn in a held session. */
export async function nextTurn(
  store: Store,
  lease: Lease,
  words: string,
  session: SessionId | NewSession = lease.session,
): Promise<OpenedTurn> {
  const { row } = await store.inbox.admit(admission(session, { input: text(words) }));
  const turn = newId("trn", next());
  const opened = await store.turns.open(lease, {
    id: turn,
    inbox: row.id,
    runtime: "loop",
    cwd: "/work",
    at: next(),
  });
  if (opened === undefined) throw new Error("the input is not waiting");
  return { session: row.session, lease, inbox: row.id, turn };
}

/** Adds assistant rows to an open turn. */
export async function say(
  store: Store,
  { lease, turn }: OpenedTurn,
  ...lines: readonly string[]
): Promise<void> {
  for (const line of lines) {
    const message: Message = { role: "assistant", content: line };
    await store.turns.keep(lease, turn, said(`say-${next()}`, line), [message], next());
  }
}

/** Everything the contract lets one see, to compare before and after. */
export async function everything(store: Store): Promise<unknown> {
  const sessions = (await store.sessions.list({ limit: 1000 })).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const states = ["waiting", "started", "steered", "unconfirmed", "kept"] as const;
  const replies = ["pending", "sending", "sent", "refused", "ambiguous", "dead"] as const;
  return {
    sessions,
    details: await Promise.all(sessions.map(({ id }) => sessionDetails(store, id))),
    inputs: await Promise.all(states.map((state) => store.inbox.inState(state))),
    replies: await Promise.all(replies.map((state) => store.outbox.inState(state))),
    received: await store.received.open("telegram", "bot"),
    seen: await store.received.seen("telegram", "bot"),
    chats: await store.chats.list(1000),
    people: await store.people.list(),
    pairings: await store.people.pairings(0),
    open: await store.turns.listOpen(),
    processes: await store.processes.list(),
    approvals: await store.approvals.list({ limit: 1000 }),
    inquiries: await store.inquiries.waiting(),
    grants: await store.grants.list({}),
    usage: await store.usage.groups({}),
    note: await store.meta.get("note"),
    events: (await store.events.after("all", 0, 10_000)).events.map((event) => ({ ...event, place: 0 })),
  };
}

async function sessionDetails(store: Store, id: SessionId): Promise<unknown> {
  const turns = await store.sessions.turns(id);
  return {
    turns,
    items: await Promise.all(turns.map((turn) => store.turns.items(turn.id))),
    calls: await Promise.all(turns.map((turn) => store.calls.open(turn.id))),
    messages: await store.sessions.messages(id),
    compactions: await store.compactions.list(id),
    pins: await store.compactions.pins(id),
    holder: await store.leases.holder(id),
    binding: await store.bindings.load(id, "codex", "/work"),
    found: await store.search({ text: "hello", limit: 10, session: id }),
  };
}
