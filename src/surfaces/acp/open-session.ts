import type { ContentBlock, PromptResponse } from "@agentclientprotocol/sdk";
import { nextTurnSetup } from "../../operations/chat/next-turn-setup.ts";
import type { EndedEnvelope, Envelope } from "../../core/events.ts";
import { FaultError } from "../../core/faults.ts";
import type { Client } from "../../core/calls.ts";
import type { SessionId } from "../../core/ids.ts";
import { type Listening, listen } from "../../core/client/listening.ts";
import { type FromElsewhere, fromElsewhere, heardFromElsewhere } from "../../core/client/elsewhere.ts";
import { type SeenTurns, allSeen, seenTurns, turnByTurn } from "../../core/client/past.ts";
import type { NewSession } from "../../core/session.ts";
import {
  type CommandReply,
  type Sending,
  type ChatState,
  nextSession,
  chatStateAfter,
  withSession,
} from "../../core/chat-state.ts";
import type { Clock } from "../../lib/clock.ts";
import { PeerClosedError } from "../../lib/rpc/rpc-peer.ts";
import { callFeed } from "./call-feed.ts";
import type { Editor } from "./editor.ts";
import { commandLine, whyNotHere } from "./editor-commands.ts";
import { codeBlock } from "./markdown.ts";
import { type PastParts, replay } from "./past.ts";
import { permissions } from "./permissions.ts";
import { promptInput } from "./prompt-input.ts";
import { type Prompt, prompts } from "./prompts.ts";
import { questions } from "./questions.ts";
import { type SessionNews, sessionNews } from "./session-news.ts";
import { type SettingsView, chooseSetting } from "./session-settings.ts";
import { type SessionWriter, sessionWriter } from "./session-writer.ts";
import { type TurnFeed, turnFeed } from "./turn-feed.ts";

export type OpenSessionParts = {
  readonly host: Client;
  readonly editor: Editor;
  readonly clock: Clock;
  readonly log: (line: string) => void;
};

/** One session that the editor has open. */
export interface OpenSession {
  readonly id: SessionId;
  /** Where it works. */
  readonly cwd: string;
  /** Resolves when the turn has ended and all of it was sent. Rejects when it failed or was not taken. */
  prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<PromptResponse>;
  cancel(): Promise<void>;
  settings(): Promise<SettingsView>;
  /** Rejects when it cannot be, and nothing is changed. */
  choose(setting: string, value: string): Promise<SettingsView>;
  /** Sends what was said so far. */
  replay(): Promise<void>;
  /** The editor knows what was said so far. */
  markSeen(): Promise<void>;
  /** Tells what an editor has to know, once it knows of the session, and makes ready for its first turn. */
  greet(): Promise<void>;
  /** Something to know about the session as such. */
  warn(text: string): void;
  /** Stops it, and hears nothing more of it. */
  close(): Promise<void>;
}

/** If `state` has a session, it exists already. Otherwise it begins with its first message: there are no empty sessions. */
export function openSession(parts: OpenSessionParts, session: NewSession, state: ChatState): OpenSession {
  const { host, editor, clock, log } = parts;
  const { id } = session;
  const writer = sessionWriter(editor, id);
  const calls = callFeed({ writer, clock, terminals: editor.can.terminals });
  const asked = prompts(host, id, log);
  const feed = turnFeed({
    writer,
    calls,
    permissions: permissions({ host, editor, writer, session: id, cancel: () => void asked.cancel() }),
    questions: questions({ host, editor, writer, session: id }),
    cwd: session.cwd,
    log,
  });
  const seen = seenTurns();
  const away = fromElsewhere(seen, () => writer.remark(wentOn), feed.handle);
  const onError = (error: unknown): void => log(notShown(id, error));
  const hear = hearing(seen, away, feed);
  const listening = listen(host, id, hear, { by: "person", elsewhere: true, onError });
  // Of a session that begins with its first message there is no past to wait for.
  if (state.session === undefined) away.release();
  const news = sessionNews({ host, editor, writer, cwd: session.cwd });
  const past: PastParts = { writer, calls };
  const shared = {
    host,
    listening,
    session,
    state,
    writer,
    feed,
    news,
    seen,
    away,
    past,
    log,
    cancel: asked.cancel,
  };
  return {
    id,
    cwd: session.cwd,
    warn: news.warn,
    cancel: asked.cancel,
    prompt: (blocks, signal) => asked.run(signal, (prompt) => answer(shared, blocks, prompt)),
    settings: () => news.settings(shared.state),
    choose: (setting, value) => choose(shared, setting, value),
    async replay() {
      if (shared.state.session !== undefined) await replayAll(shared, shared.state.session);
      away.release();
    },
    async markSeen() {
      await allSeen(host, shared.state.session, seen);
      away.release();
    },
    greet: () => greet(shared),
    async close() {
      await asked.cancel();
      listening.leave();
    },
  };
}

const wentOn = "This session went on elsewhere:";

const notShown = (id: SessionId, error: unknown): string =>
  `an event of ${id} could not be shown: ${String(error)}`;

type SessionParts = {
  readonly host: Client;
  readonly listening: Listening;
  readonly session: NewSession;
  state: ChatState;
  readonly writer: SessionWriter;
  readonly feed: TurnFeed;
  readonly news: SessionNews;
  readonly seen: SeenTurns;
  readonly away: FromElsewhere;
  readonly past: PastParts;
  readonly log: (line: string) => void;
  readonly cancel: () => Promise<void>;
};

/** Whether its turns can run is better known before one is sent; to look also loads what the first one needs. */
async function greet({ host, news, state, log }: SessionParts): Promise<void> {
  news.greet();
  try {
    const { runtime } = await nextTurnSetup(state, host);
    const [ready] = await Promise.all([
      host.call("runtime.readiness", { runtime: runtime.value }),
      host.call("tools.list", {}),
    ]);
    if (!ready.ok) news.hint(`${ready.fault.message}\n${ready.fault.next}`);
  } catch (error) {
    if (!hasLeft(error)) log(`a session could not be made ready: ${String(error)}`);
  }
}

async function answer(
  shared: SessionParts,
  blocks: readonly ContentBlock[],
  prompt: Prompt,
): Promise<PromptResponse> {
  const { news } = shared;
  const input = promptInput(blocks);
  news.catchUp();
  await showMissed(shared);
  const line = commandLine(input);
  if (line === undefined) return deliver(shared, { input, whenBusy: "queue" }, prompt);
  return command(shared, line, prompt);
}

const hearing =
  (seen: SeenTurns, away: FromElsewhere, feed: TurnFeed) =>
  (event: Envelope): void => {
    if (event.elsewhere === true) return away.hear(event);
    away.interrupted();
    seen.followed(event.turn);
    feed.handle(event);
  };

/** A turn that runs elsewhere now is told as it goes on. */
async function replayAll({ host, seen, away, past }: SessionParts, session: SessionId): Promise<void> {
  await heardFromElsewhere(host, session);
  const turns = await host.call("sessions.turns", { session });
  const told = away.toBeTold();
  const shown = turns.filter(({ id, state }) => state !== "open" || !told.has(id));
  seen.shown(shown);
  await replay(past, turnByTurn(host, session, shown));
}

/** What another process has added to the session meanwhile: the model will be given it, so the person sees it first. */
async function showMissed({ host, state, seen, past, writer, feed }: SessionParts): Promise<void> {
  if (state.session === undefined) return;
  await heardFromElsewhere(host, state.session);
  await feed.settled();
  const missed = await seen.missed(host, state.session);
  if (missed.length === 0) return;
  writer.remark(wentOn);
  await replay(past, missed);
}

/** Tells what has changed beside the conversation. */
async function refresh({ news, state, log }: SessionParts): Promise<void> {
  await news.refresh(state).catch((error: unknown) => {
    if (!hasLeft(error)) log(`news of a session: ${String(error)}`);
  });
}

/** An editor that leaves cuts off what is still being looked up for it: of a host that goes itself there is another one. */
const hasLeft = (error: unknown): boolean => error instanceof PeerClosedError;

async function deliver(
  shared: SessionParts,
  { input, whenBusy, ...rest }: Sending,
  prompt: Prompt,
): Promise<PromptResponse> {
  const { host, listening, session, state, feed } = shared;
  if (prompt.cancelled) return cancelled;
  const { choices, attended } = state;
  const key = { surface: "acp", account: "", chat: session.id, messageId: crypto.randomUUID() };
  const target = nextSession(state, session);
  const sent = await host.call("turns.send", {
    key,
    session: target,
    input,
    whenBusy,
    attended,
    choices,
    ...rest,
  });
  shared.state = withSession(shared.state, sent.session);
  // When the Stop came, there was no turn to stop.
  if (prompt.cancelled) void shared.cancel();
  const ended = await host.call("turns.wait", { inbox: sent.inbox });
  if (ended !== null) await listening.heard(ended.turn);
  await feed.settled();
  void refresh(shared);
  return responseOf(ended);
}

async function command(shared: SessionParts, line: string, prompt: Prompt): Promise<PromptResponse> {
  const { host, session, state, writer, feed } = shared;
  const refused = whyNotHere(line);
  const { cwd } = session;
  const reply: CommandReply =
    refused === undefined
      ? await host.call("chat.command", { line, chat: { ...state, surface: "acp", cwd } })
      : { text: refused };
  // A thread of the editor is one session, whatever a command proposes.
  const { session: _elsewhere, ...rest } = reply;
  shared.state = chatStateAfter(shared.state, rest);
  await feed.settled();
  writer.say(crypto.randomUUID(), reply.text.includes("\n") ? codeBlock(reply.text) : reply.text);
  await refresh(shared);
  if (reply.send === undefined) return { stopReason: "end_turn" };
  return deliver(shared, reply.send, prompt);
}

async function choose(shared: SessionParts, setting: string, value: string): Promise<SettingsView> {
  const { host, news } = shared;
  const { warning, ...reply } = await chooseSetting(shared.state, host, setting, value);
  shared.state = chatStateAfter(shared.state, { text: "", ...reply });
  if (warning !== undefined) news.warn(warning);
  return news.settings(shared.state);
}

const cancelled: PromptResponse = { stopReason: "cancelled" };

/** `null`: set aside before it started. */
function responseOf(ended: EndedEnvelope | null): PromptResponse {
  if (ended === null || ended.outcome === "interrupted") return cancelled;
  if (ended.outcome !== "failed") return { stopReason: "end_turn" };
  throw new FaultError(
    ended.fault ?? { code: "bug", message: "The turn failed without a reason.", next: "Try again." },
  );
}
