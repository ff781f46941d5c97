import type { ContentBlock, PromptResponse } from "@agentclientprotocol/sdk";
import { standing } from "../../commands/standing.ts";
import type { EndedEnvelope } from "../../core/events.ts";
import { FaultError } from "../../core/faults.ts";
import type { Host } from "../../core/host.ts";
import type { SessionId } from "../../core/ids.ts";
import { type SeenTurns, lastTurns, seenTurns } from "../../core/past.ts";
import type { NewSession } from "../../core/session.ts";
import {
  type CommandReply,
  type Sending,
  type Talk,
  nextSession,
  talkAfter,
  withSession,
} from "../../core/talk.ts";
import type { Clock } from "../../lib/clock.ts";
import { callFeed } from "./call-feed.ts";
import type { Editor } from "./editor.ts";
import { commandLine, whyNotHere } from "./editor-commands.ts";
import { fenced } from "./markdown.ts";
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
  readonly host: Host;
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
  known(): Promise<void>;
  /** Tells what an editor has to know, once it knows of the session, and makes ready for its first turn. */
  greet(): Promise<void>;
  /** Something to know about the session as such. */
  warn(text: string): void;
  /** Stops it, and hears nothing more of it. */
  close(): Promise<void>;
}

/** With a session in the talk it exists. Otherwise it begins with its first message: there are no empty sessions. */
export function openSession(parts: OpenSessionParts, session: NewSession, talk: Talk): OpenSession {
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
  const unsubscribe = host.subscribe(
    id,
    (event) => {
      seen.heard(event.turn);
      feed.hear(event);
    },
    "person",
  );
  const news = sessionNews({ host, editor, writer, cwd: session.cwd });
  const past: PastParts = { writer, calls };
  const inside: Inside = { host, session, talk, writer, feed, news, seen, past, log, cancel: asked.cancel };
  return {
    id,
    cwd: session.cwd,
    warn: news.warn,
    cancel: asked.cancel,
    prompt: (blocks, signal) => asked.run(signal, (prompt) => answer(inside, blocks, prompt)),
    settings: () => news.settings(inside.talk),
    choose: (setting, value) => choose(inside, setting, value),
    async replay() {
      const { session: known } = inside.talk;
      if (known === undefined) return;
      const { turns } = await lastTurns(host.sessions, known);
      seen.shown(turns.map(({ turn }) => turn));
      await replay(past, turns);
    },
    async known() {
      const { session: known } = inside.talk;
      if (known !== undefined) seen.shown(await host.sessions.turns(known));
    },
    greet: () => greet(inside),
    async close() {
      await asked.cancel();
      unsubscribe();
    },
  };
}

type Inside = {
  readonly host: Host;
  readonly session: NewSession;
  talk: Talk;
  readonly writer: SessionWriter;
  readonly feed: TurnFeed;
  readonly news: SessionNews;
  readonly seen: SeenTurns;
  readonly past: PastParts;
  readonly log: (line: string) => void;
  readonly cancel: () => Promise<void>;
};

/** Whether its turns can run is better known before one is sent; to look also loads what the first one needs. */
async function greet({ host, news, talk, log }: Inside): Promise<void> {
  news.greet();
  try {
    const { runtime } = await standing(talk, host);
    const [ready] = await Promise.all([host.readiness(runtime.value), host.tools()]);
    if (!ready.ok) news.hint(`${ready.fault.message}\n${ready.fault.next}`);
  } catch (error) {
    log(`a session could not be made ready: ${String(error)}`);
  }
}

async function answer(
  inside: Inside,
  blocks: readonly ContentBlock[],
  prompt: Prompt,
): Promise<PromptResponse> {
  const { news } = inside;
  const input = promptInput(blocks);
  news.catchUp();
  await showMissed(inside);
  const line = commandLine(input);
  if (line === undefined) return deliver(inside, { input, whenBusy: "queue" }, prompt);
  return command(inside, line, prompt);
}

/** What another process has added to the session meanwhile: the model will be given it, so the person sees it first. */
async function showMissed({ host, talk, seen, past, writer }: Inside): Promise<void> {
  if (talk.session === undefined) return;
  const missed = await seen.missed(host.sessions, talk.session);
  if (missed.length === 0) return;
  writer.aside("This session went on elsewhere:");
  await replay(past, missed);
}

/** Tells what has changed beside the conversation. */
async function refresh({ news, talk, log }: Inside): Promise<void> {
  await news.refresh(talk).catch((error: unknown) => log(`news of a session: ${String(error)}`));
}

async function deliver(
  inside: Inside,
  { input, whenBusy, ...rest }: Sending,
  prompt: Prompt,
): Promise<PromptResponse> {
  const { host, session, talk, feed } = inside;
  if (prompt.cancelled) return cancelled;
  const { choices, attended } = talk;
  const key = { surface: "acp", account: "", chat: session.id, messageId: crypto.randomUUID() };
  const target = nextSession(talk, session);
  const sent = await host.send({ key, session: target, input, whenBusy, attended, choices, ...rest });
  inside.talk = withSession(inside.talk, sent.session);
  // When the Stop came, there was no turn to stop.
  if (prompt.cancelled) void inside.cancel();
  const ended = await sent.ended;
  await feed.settled();
  void refresh(inside);
  return responseOf(ended);
}

async function command(inside: Inside, line: string, prompt: Prompt): Promise<PromptResponse> {
  const { host, session, talk, writer, feed } = inside;
  const refused = whyNotHere(line);
  const { cwd } = session;
  const reply: CommandReply =
    refused === undefined ? await host.command(line, { ...talk, surface: "acp", cwd }) : { text: refused };
  // A thread of the editor is one session, whatever a command proposes.
  const { session: _elsewhere, ...rest } = reply;
  inside.talk = talkAfter(inside.talk, rest);
  await feed.settled();
  writer.say(crypto.randomUUID(), reply.text.includes("\n") ? fenced(reply.text) : reply.text);
  await refresh(inside);
  if (reply.send === undefined) return { stopReason: "end_turn" };
  return deliver(inside, reply.send, prompt);
}

async function choose(inside: Inside, setting: string, value: string): Promise<SettingsView> {
  const { host, news } = inside;
  const { warning, ...reply } = await chooseSetting(inside.talk, host, setting, value);
  inside.talk = talkAfter(inside.talk, { text: "", ...reply });
  if (warning !== undefined) news.warn(warning);
  return news.settings(inside.talk);
}

const cancelled: PromptResponse = { stopReason: "cancelled" };

/** `undefined`: set aside before it started. */
function responseOf(ended: EndedEnvelope | undefined): PromptResponse {
  if (ended === undefined || ended.outcome === "interrupted") return cancelled;
  if (ended.outcome !== "failed") return { stopReason: "end_turn" };
  throw new FaultError(
    ended.fault ?? { code: "bug", message: "The turn failed without a reason.", next: "Try again." },
  );
}
