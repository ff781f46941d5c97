import type { Form } from "../../core/asking.ts";
import type { Envelope } from "../../core/events.ts";
import type { ChatKey, ChatPlace, StoredChat } from "../../core/gateway/tables.ts";
import type { InboxId, InquiryId, SessionId, TurnId } from "../../core/ids.ts";
import type { InputFate } from "../../core/ledger.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";
import { type BotParts, houseOf } from "./bot-parts.ts";
import { type Progress, showProgress } from "./progress.ts";
import { approvalClosed, closeQuestion, inquiryClosed, showApproval, showInquiry } from "./questions.ts";

type Chat = ChatPlace & Pick<StoredChat, "room" | "roomName">;

/** What turns ask for in words, and where. It goes with this process: after a restart nobody waits for an answer. */
export type OpenForms = Map<InquiryId, { readonly form: Form; readonly to: ChatKey }>;

/** Turns of messages that came from this bot's chats, while they run. */
export type LiveTurns = {
  /** A message was admitted: its turn is shown where it came from. */
  expect(session: SessionId, inbox: InboxId, chat: Chat): void;
  readonly forms: OpenForms;
  /** Those that were begun at the start of the host, with messages from before. */
  resume(): Promise<void>;
  settled(): Promise<void>;
  stop(): Promise<void>;
};

type Watched = {
  readonly session: SessionId;
  readonly expected: Map<InboxId, Chat>;
  readonly unsubscribe: () => void;
  live?: {
    readonly turn: TurnId;
    readonly inbox: InboxId;
    readonly chat: Chat;
    readonly progress: Progress;
  };
  /** Events are dealt with one after the other. */
  tail: Promise<void>;
};

type Watching = {
  readonly parts: BotParts;
  readonly sessions: Map<SessionId, Watched>;
  readonly forms: OpenForms;
  readonly over: AbortController;
};

export function liveTurns(parts: BotParts): LiveTurns {
  const watching: Watching = { parts, sessions: new Map(), forms: new Map(), over: new AbortController() };
  const { sessions, over, forms } = watching;
  const expect: LiveTurns["expect"] = (session, inbox, chat) => {
    if (over.signal.aborted) return;
    const watched = sessions.get(session) ?? watch(watching, session);
    watched.expected.set(inbox, chat);
    // It may have begun, or ended, before we listened.
    later(watching, watched, () => catchUp(watching, watched, inbox));
  };
  return {
    expect,
    forms,
    resume: () => expectOpen(parts, expect),
    settled: async () => void (await Promise.all([...sessions.values()].map(({ tail }) => tail))),
    async stop() {
      over.abort(noLongerNeeded);
      const all = [...sessions.values()];
      sessions.clear();
      for (const { unsubscribe } of all) unsubscribe();
      await Promise.allSettled(all.map(({ live }) => live?.progress[Symbol.asyncDispose]()));
    },
  };
}

const mostChats = 200;

async function expectOpen(parts: BotParts, expect: LiveTurns["expect"]): Promise<void> {
  const { gateway, adapter, account } = parts;
  const house = houseOf(parts);
  for (const chat of await gateway.chats.list(mostChats)) {
    const { session, surface } = chat;
    if (session === undefined || surface !== adapter.surface || chat.account !== account) continue;
    const [turns, waiting] = await Promise.all([
      house.call("sessions.turns", { session, last: 1 }),
      house.call("inputs.waiting", { session }),
    ]).catch(() => [[], []]); // planned, and never begun
    for (const turn of turns) if (turn.state === "open") expect(session, turn.inbox, chat);
    for (const { id, key } of waiting) if (key.surface === surface) expect(session, id, chat);
  }
}

const heard: ReadonlySet<Envelope["type"]> = new Set(["started", "approval", "inquiry", "ended"]);

function watch(watching: Watching, session: SessionId): Watched {
  const unsubscribe = watching.parts.host.subscribe(session, (event) => {
    if (watched.live?.turn === event.turn) watched.live.progress.hear(event);
    if (heard.has(event.type)) later(watching, watched, () => hear(watching, watched, event));
  });
  const watched: Watched = { session, expected: new Map(), unsubscribe, tail: Promise.resolve() };
  watching.sessions.set(session, watched);
  return watched;
}

function later({ parts }: Watching, watched: Watched, act: () => Promise<void>): void {
  watched.tail = watched.tail
    .then(act)
    .catch((error: unknown) => parts.log(`${watched.session}: ${String(error)}`));
}

async function catchUp(watching: Watching, watched: Watched, inbox: InboxId): Promise<void> {
  const { ran } = await houseOf(watching.parts).call("inputs.get", { inbox });
  if (ran === undefined) return;
  if (ran.state !== "open") return end(watching, watched, ran.id);
  if (watched.live === undefined) await begin(watching, watched, ran.id);
}

async function hear(watching: Watching, watched: Watched, event: Envelope): Promise<void> {
  const { parts, over, forms } = watching;
  if (event.type === "ended") return end(watching, watched, event.turn);
  if (watched.live?.turn !== event.turn) await begin(watching, watched, event.turn);
  const { live } = watched;
  // A turn that somebody began elsewhere in this session is nothing to the chat.
  if (live === undefined || live.turn !== event.turn) return;
  if (event.type === "approval") {
    // What becomes of it is told by whoever follows the questions of all sessions.
    if (approvalClosed(event.approval) !== undefined) return;
    return showApproval(parts, { to: live.chat, room: live.chat.room }, event.approval);
  }
  if (event.type !== "inquiry") return;
  const { inquiry } = event;
  const closed = inquiryClosed(inquiry);
  if (closed === undefined) {
    forms.set(inquiry.id, { form: inquiry.form, to: live.chat });
    return showInquiry(parts, live.chat, inquiry);
  }
  forms.delete(inquiry.id);
  return closeQuestion(parts, inquiry.id, closed, over.signal);
}

/** Which of the messages it is for is known only from their rows. */
async function begin({ parts, over }: Watching, watched: Watched, turn: TurnId): Promise<void> {
  for (const [inbox, chat] of watched.expected) {
    const fate = await fateOf(parts, inbox);
    if (fate?.turn !== turn || fate.state !== "started" || over.signal.aborted) continue;
    watched.live = { turn, inbox, chat, progress: showProgress(parts, chat) };
    // Asked before we listened.
    for (const asked of fate.asks) await showApproval(parts, { to: chat, room: chat.room }, asked);
    return;
  }
}

async function end({ parts, sessions }: Watching, watched: Watched, turn: TurnId): Promise<void> {
  const { live, expected, session } = watched;
  if (live?.turn === turn) {
    delete watched.live;
    await live.progress[Symbol.asyncDispose]();
  }
  // What joined a turn, was set aside, or ended before we looked, has no turn of its own to wait for.
  for (const inbox of expected.keys()) {
    const fate = await fateOf(parts, inbox);
    const isOpen = fate?.state === "waiting" || (fate?.state === "started" && fate.ran?.state === "open");
    if (!isOpen) expected.delete(inbox);
  }
  if (expected.size > 0 || watched.live !== undefined) return;
  watched.unsubscribe();
  sessions.delete(session);
}

const fateOf = (parts: BotParts, inbox: InboxId): Promise<InputFate | undefined> =>
  houseOf(parts)
    .call("inputs.get", { inbox })
    .catch(() => undefined);
