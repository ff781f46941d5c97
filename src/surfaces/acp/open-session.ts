import type { ContentBlock, PromptResponse } from "@agentclientprotocol/sdk";
import type { EndedEnvelope } from "../../core/events.ts";
import { FaultError } from "../../core/faults.ts";
import type { Host } from "../../core/host.ts";
import type { SessionId } from "../../core/ids.ts";
import type { InputPart } from "../../core/messages.ts";
import type { NewSession } from "../../core/session.ts";
import { type CommandReply, type Talk, nextSession, talkAfter, withSession } from "../../core/talk.ts";
import type { Clock } from "../../lib/clock.ts";
import { callFeed } from "./call-feed.ts";
import type { Editor } from "./editor.ts";
import { commandLine, offeredCommands, whyNotHere } from "./editor-commands.ts";
import { fenced } from "./markdown.ts";
import { replay } from "./past.ts";
import { permissions } from "./permissions.ts";
import { promptInput } from "./prompt-input.ts";
import { questions } from "./questions.ts";
import { type SettingsView, chooseSetting, settingsView } from "./session-settings.ts";
import { sessionWriter } from "./session-writer.ts";
import { turnFeed } from "./turn-feed.ts";

export type OpenSessionParts = {
  readonly host: Host;
  readonly editor: Editor;
  readonly clock: Clock;
  readonly log: (line: string) => void;
};

/** One session that the editor has open. */
export interface OpenSession {
  readonly id: SessionId;
  /** Resolves when the turn has ended and all of it was sent. Rejects when it failed or was not taken. */
  prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<PromptResponse>;
  /** Stops what runs and sets aside what waits. */
  cancel(): Promise<void>;
  settings(): Promise<SettingsView>;
  choose(setting: string, value: string): Promise<SettingsView>;
  /** Sends what was said so far. */
  replay(): Promise<void>;
  /** Sends what an editor has to know of a session that it has just opened. */
  greet(): void;
  /** Something to know about the session as such: at once where it can be shown, else with the next prompt. */
  warn(text: string): void;
  /** Stops it, and hears nothing more of it. */
  close(): Promise<void>;
}

/** `known`: it exists. Otherwise it begins with its first message: there are no empty sessions. */
export function openSession(
  parts: OpenSessionParts,
  session: NewSession,
  talkBefore: Talk,
): OpenSession {
  const { host, editor, clock, log } = parts;
  const { id } = session;
  const writer = sessionWriter(editor, id);
  const calls = callFeed({ writer, clock, terminals: editor.can.terminals });
  const cancel = (): Promise<void> => {
    for (const prompt of running) prompt.cancelled = true;
    const stop = host.stop(id).then(
      () => {},
      (error: unknown) => log(`${id} could not be stopped: ${String(error)}`),
    );
    stopping = Promise.all([stopping, stop]);
    return stop;
  };
  const feed = turnFeed({
    writer,
    calls,
    permissions: permissions({ host, editor, writer, session: id, cancel: () => void cancel() }),
    questions: questions({ host, editor, writer, session: id }),
    cwd: session.cwd,
    log,
  });
  const unsubscribe = host.subscribe(id, feed.hear);
  const running = new Set<Prompt>();
  let talk = talkBefore;
  let stopping: Promise<unknown> = Promise.resolve();
  let warnings: readonly string[] = [];
  let title: string | undefined;
  let shown = "";

  const deliver = async (
    input: readonly InputPart[],
    whenBusy: "queue" | "steer",
    prompt: Prompt,
  ): Promise<PromptResponse> => {
    if (prompt.cancelled) return cancelled;
    const key = { surface: "acp", account: "", chat: id, messageId: crypto.randomUUID() };
    const { choices, attended } = talk;
    const sent = await host.send({
      key,
      session: nextSession(talk, session),
      input,
      whenBusy,
      attended,
      choices,
    });
    talk = withSession(talk, sent.session);
    // When it came there was no turn to stop.
    if (prompt.cancelled) void cancel();
    const ended = await sent.ended;
    await feed.settled();
    await refresh();
    return responseOf(ended);
  };
  const command = async (line: string, prompt: Prompt): Promise<PromptResponse> => {
    const refused = whyNotHere(line);
    const cwd = talk.choices.cwd ?? session.cwd;
    const reply: CommandReply =
      refused === undefined ? await host.command(line, { ...talk, surface: "acp", cwd }) : { text: refused };
    // The editor's thread stays what it is, whatever a command proposes.
    const { session: _elsewhere, ...rest } = reply;
    talk = talkAfter(talk, rest);
    await feed.settled();
    writer.say(crypto.randomUUID(), reply.text.includes("\n") ? fenced(reply.text) : reply.text);
    if (reply.send !== undefined) return deliver(reply.send.input, reply.send.whenBusy, prompt);
    await refresh();
    return { stopReason: "end_turn" };
  };
  /** Tells the editor what has changed beside the conversation: title, cost, and what a command has chosen. */
  const refresh = async (): Promise<void> => {
    await update().catch((error: unknown) => log(`${id}: ${String(error)}`));
  };
  const update = async (): Promise<void> => {
    await tellSettings();
    if (talk.session === undefined) return;
    const row = await host.sessions.get(talk.session);
    if (row.title !== undefined && row.title !== title)
      writer.send({ sessionUpdate: "session_info_update", title: row.title });
    title = row.title;
  };
  const tellSettings = async (): Promise<SettingsView> => {
    const view = await settingsView(talk, host);
    const now = JSON.stringify(view);
    if (shown !== "" && shown !== now) {
      const { configOptions, modes } = view;
      writer.send({ sessionUpdate: "config_option_update", configOptions });
      writer.send({ sessionUpdate: "current_mode_update", currentModeId: modes.currentModeId });
    }
    shown = now;
    return view;
  };
  const sayWarnings = (): void => {
    for (const text of warnings) writer.aside(text);
    warnings = [];
  };

  return {
    id,
    cancel,
    async prompt(blocks, signal) {
      const prompt: Prompt = { cancelled: false };
      running.add(prompt);
      const onAbort = (): void => void cancel();
      signal.addEventListener("abort", onAbort, { once: true });
      try {
        // What a Stop sets aside must not be what is sent after it.
        await stopping;
        const input = promptInput(blocks);
        sayWarnings();
        const line = commandLine(input);
        return await (line === undefined ? deliver(input, "queue", prompt) : command(line, prompt));
      } finally {
        signal.removeEventListener("abort", onAbort);
        running.delete(prompt);
      }
    },
    settings: tellSettings,
    async choose(setting, value) {
      const { warning, ...reply } = await chooseSetting(talk, host, setting, value);
      talk = talkAfter(talk, { text: "", ...reply });
      if (warning !== undefined) warnings = [...warnings, warning];
      const view = await settingsView(talk, host);
      shown = JSON.stringify(view);
      return view;
    },
    async replay() {
      if (talk.session !== undefined) await replay({ sessions: host.sessions, writer, calls }, talk.session);
    },
    greet: () =>
      writer.send({
        sessionUpdate: "available_commands_update",
        availableCommands: [...offeredCommands()],
      }),
    warn(text) {
      if (!editor.can.notices) return void (warnings = [...warnings, text]);
      const [heading = "", ...rest] = text.split("\n");
      const description = rest.length === 0 ? {} : { description: rest.join("\n") };
      writer.send({ sessionUpdate: "notice", severity: "warning", title: heading, ...description });
    },
    async close() {
      await cancel();
      unsubscribe();
    },
  };
}

type Prompt = { cancelled: boolean };

const cancelled: PromptResponse = { stopReason: "cancelled" };

/** `undefined`: set aside before it started. */
function responseOf(ended: EndedEnvelope | undefined): PromptResponse {
  if (ended === undefined || ended.outcome === "interrupted") return cancelled;
  if (ended.outcome !== "failed") return { stopReason: "end_turn" };
  throw new FaultError(
    ended.fault ?? { code: "bug", message: "The turn failed without a reason.", next: "Try again." },
  );
}
