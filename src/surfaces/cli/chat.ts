import { chatAdvice } from "../../core/advice.ts";
import type { Client } from "../../core/calls.ts";
import type { Envelope } from "../../core/events.ts";
import type { HostStatus } from "../../core/host.ts";
import { callLine } from "../../core/call-words.ts";
import type { InboxId, SessionId } from "../../core/ids.ts";
import { type InputPart, messageText } from "../../core/messages.ts";
import { heardFromElsewhere } from "../../core/client/elsewhere.ts";
import { type SeenTurns, allSeen } from "../../core/client/past.ts";
import { clean } from "../../core/plain-text.ts";
import type { NewSession, PastTurn } from "../../core/session.ts";
import { type StartIn, sessionToStartIn } from "../../core/client/start-session.ts";
import {
  type CommandReply,
  type ChatState,
  nextSession,
  chatStateAfter,
  withSession,
} from "../../core/chat-state.ts";
import { systemClock } from "../../lib/clock.ts";
import { type ChatWatch, chatWatch } from "./chat-watch.ts";
import { reportFailure, usage } from "./failure.ts";
import { type LineInput, lineInput } from "./line-input.ts";
import type { CliPorts, ExitCode, ScreenOptions } from "./ports.ts";
import { attendedBy, newSession, runTurn } from "./run.ts";
import { parseCommand } from "../../operations/chat/command.ts";

export type ChatOptions = ScreenOptions & {
  /** Lines only, also on a terminal. */
  readonly plain?: boolean;
};

/**
 * `talaria` alone. On a terminal: the screen, or a simple chat of lines. With piped input: each line is a prompt. With neither: one offline
 * turn, then how to start.
 */
export async function chat(ports: CliPorts, options: ChatOptions): Promise<ExitCode> {
  const interactive = ports.stdin.isTTY === true;
  if (interactive && options.plain !== true && canShowScreen(ports)) return ports.screen(options);
  const profile = options.profile === undefined ? {} : { profile: options.profile };
  const { attach = true } = options;
  await using client = await ports.openHost({ ...profile, attach, longLived: interactive });
  const status = await client.call("host.status", {});
  for (const warning of status.warnings) ports.stderr.write(`talaria: warning: ${warning}\n`);
  if (interactive) greet(ports, status);
  const input = lineInput(ports.stdin, systemClock);
  const session = await sessionToStartIn(client, startOptions(options), ports.cwd);
  const chatState: ChatState = { choices: {}, attended: attendedBy(ports, undefined) };
  const prompt = (): void => void (interactive && ports.stdout.write("\n› "));
  // A script waits for no prompt: it is shown what it missed with its next line.
  using watch = interactive ? chatWatch(ports, client, prompt) : undefined;
  const current: OpenChat = {
    chatState: session === undefined ? chatState : { ...chatState, session },
    next: newSession(ports.cwd),
    input,
    seen: await allSeen(client, session),
    ...(watch === undefined ? {} : { watch }),
    last: 0,
    prompts: 0,
  };
  // During a turn Ctrl+C stops the turn; between turns it leaves, as people expect of a shell.
  const leaveOnInterrupt = (): (() => void) => ports.onInterrupt(() => void ports.stdin.destroy());
  let stopListening = leaveOnInterrupt();
  watch?.follow(session, current.seen);
  prompt();
  for (let line = await input.next(); line !== undefined; line = await input.next()) {
    stopListening();
    if (await answerSafely(ports, client, current, line.trim())) return current.last;
    // An interrupt ends a whole script, not only its current line.
    if (current.last > 100 && !interactive) return current.last;
    stopListening = leaveOnInterrupt();
    prompt();
  }
  stopListening();
  if (interactive) ports.stdout.write("\n");
  if (current.prompts === 0 && !interactive) return await demonstrate(ports, client);
  return current.last;
}

/** A terminal that cannot move its cursor, or output that goes elsewhere, gets lines. */
const canShowScreen = ({ stdout, env }: CliPorts): boolean => stdout.isTTY === true && env["TERM"] !== "dumb";

function startOptions({ resume, continue: newest }: ChatOptions): StartIn {
  if (resume === true)
    throw usage("--resume needs the id of a session here.", "See `talaria sessions list`.");
  return {
    ...(resume === undefined ? {} : { session: resume }),
    ...(newest === undefined ? {} : { continue: newest }),
  };
}

type OpenChat = {
  chatState: ChatState;
  /** What the next message begins, where there is no session yet. */
  next: NewSession;
  readonly input: LineInput;
  /** What of the session was shown here. */
  seen: SeenTurns;
  /** Only where somebody sees it. */
  readonly watch?: ChatWatch;
  last: ExitCode;
  prompts: number;
};

/** A line that could not be sent is no reason to end the chat. */
async function answerSafely(
  ports: CliPorts,
  client: Client,
  current: OpenChat,
  text: string,
): Promise<boolean> {
  try {
    return await answer(ports, client, current, text);
  } catch (error) {
    current.last = reportFailure(error, { ...ports, json: false });
    return false;
  }
}

/** True: the person wants to leave. */
async function answer(ports: CliPorts, client: Client, current: OpenChat, text: string): Promise<boolean> {
  if (text === "") return false;
  current.prompts += 1;
  if (parseCommand(text) === undefined) {
    await sendMessage(ports, client, current, [{ type: "text", text }]);
    return false;
  }
  const reply = await client.call("chat.command", {
    line: text,
    chat: { ...current.chatState, surface: "cli", cwd: ports.cwd },
  });
  if (reply.text !== "") ports.stdout.write(`${reply.text}\n`);
  await applyReply(client, current, reply, ports.cwd);
  if (reply.send !== undefined) await sendMessage(ports, client, current, reply.send.input, reply.send.again);
  return reply.quit === true;
}

async function applyReply(
  client: Client,
  current: OpenChat,
  reply: CommandReply,
  cwd: string,
): Promise<void> {
  const before = current.chatState.session;
  current.chatState = chatStateAfter(current.chatState, reply);
  const { session } = current.chatState;
  if (session !== before) current.seen = await allSeen(client, session);
  current.watch?.follow(session, current.seen);
  if (reply.session === null) current.next = newSession(cwd);
}

async function sendMessage(
  ports: CliPorts,
  client: Client,
  current: OpenChat,
  input: readonly InputPart[],
  again?: InboxId,
): Promise<void> {
  const { choices, attended, session: known } = current.chatState;
  if (known !== undefined) await showMissed(ports, client, current.seen, known);
  const session = nextSession(current.chatState, current.next);
  const id = typeof session === "string" ? session : session.id;
  const turn = { session, input, choices, attended, ...(again === undefined ? {} : { again }) };
  const onEvent = (event: Envelope): void => current.seen.followed(event.turn);
  const output = { input: current.input, advice: chatAdvice, onEvent };
  const shown = runTurn(ports, client, turn, output);
  current.last = await (current.watch?.during(shown) ?? shown);
  current.chatState = withSession(current.chatState, id);
  current.watch?.follow(id, current.seen);
}

/** What another process has added to the session meanwhile: the model will be given it, so the person sees it first. */
async function showMissed(
  ports: CliPorts,
  client: Client,
  seen: SeenTurns,
  session: SessionId,
): Promise<void> {
  await heardFromElsewhere(client, session);
  const missed = await seen.missed(client, session);
  if (missed.length === 0) return;
  const lines = ["· This session went on elsewhere:", ...missed.flatMap(pastLines)];
  ports.stderr.write(`${lines.join("\n")}\n`);
}

const pastLines = ({ parts }: PastTurn): readonly string[] =>
  parts.flatMap((part) => {
    if ("seq" in part) return [`› ${clean(messageText(part.message))}`];
    if (part.kind === "call") return [callLine(part)];
    return part.kind === "thinking" ? [] : [clean(part.text)];
  });

function greet(ports: CliPorts, status: HostStatus): void {
  const { version, model, provider, runtime, profile } = status;
  const where = profile === "default" ? "" : ` · profile ${profile}`;
  ports.stdout.write(`Talaria ${version} · ${model} (${provider}) · runtime ${runtime}${where}\n`);
  ports.stdout.write("Type a message, /help for commands, Ctrl+C to stop a turn, Ctrl+D to leave.\n");
}

async function demonstrate(ports: CliPorts, client: Client): Promise<ExitCode> {
  ports.stdout.write("› hello\n");
  const input = [{ type: "text" as const, text: "hello" }];
  const code = await runTurn(
    ports,
    client,
    { session: newSession(ports.cwd), input, choices: {}, attended: "none" },
    {},
  );
  ports.stdout.write(`
That was one turn. To go on:
  talaria                      chat, in a terminal
  talaria run "your question"  one turn; --continue goes on with it
  echo "a question" | talaria  one turn for each line
  talaria --help               everything else
`);
  return code;
}
