import { chatAdvice } from "../../core/advice.ts";
import type { Host } from "../../core/host.ts";
import type { InboxId } from "../../core/ids.ts";
import type { InputPart } from "../../core/messages.ts";
import type { NewSession } from "../../core/session.ts";
import { type StartIn, sessionToStartIn } from "../../core/start-session.ts";
import { type CommandReply, type Talk, nextSession, talkAfter, withSession } from "../../core/talk.ts";
import { systemClock } from "../../lib/clock.ts";
import { reportFailure, usage } from "./failure.ts";
import { type LineInput, lineInput } from "./line-input.ts";
import type { CliPorts, ExitCode, ScreenOptions } from "./ports.ts";
import { attendedBy, newSession, oneTurn } from "./run.ts";
import { parseCommand } from "../../commands/command.ts";

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
  if (interactive && options.plain !== true && canPaint(ports)) return ports.screen(options);
  const profile = options.profile === undefined ? {} : { profile: options.profile };
  await using host = await ports.openHost({ ...profile, titles: interactive });
  for (const warning of host.warnings) ports.stderr.write(`talaria: warning: ${warning}\n`);
  if (interactive) greet(ports, host);
  const input = lineInput(ports.stdin, systemClock);
  const session = await sessionToStartIn(host.sessions, startIn(options), ports.cwd);
  const talk: Talk = { choices: {}, attended: attendedBy(ports, undefined) };
  const chatting: Chatting = {
    talk: session === undefined ? talk : { ...talk, session },
    next: newSession(ports.cwd),
    input,
    last: 0,
    prompts: 0,
  };
  // During a turn Ctrl+C stops the turn; between turns it leaves, as people expect of a shell.
  const leaveOnInterrupt = (): (() => void) => ports.onInterrupt(() => void ports.stdin.destroy());
  let ignore = leaveOnInterrupt();
  const prompt = (): void => void (interactive && ports.stdout.write("\n› "));
  prompt();
  for (let line = await input.next(); line !== undefined; line = await input.next()) {
    ignore();
    if (await attempt(ports, host, chatting, line.trim())) return chatting.last;
    // Whoever interrupts a script means all of it.
    if (chatting.last === 130 && !interactive) return 130;
    ignore = leaveOnInterrupt();
    prompt();
  }
  ignore();
  if (interactive) ports.stdout.write("\n");
  if (chatting.prompts === 0 && !interactive) return await demonstrate(ports, host);
  return chatting.last;
}

/** A terminal that cannot move its cursor, or output that goes elsewhere, gets lines. */
const canPaint = ({ stdout, env }: CliPorts): boolean => stdout.isTTY === true && env["TERM"] !== "dumb";

function startIn({ resume, continue: newest }: ChatOptions): StartIn {
  if (resume === true)
    throw usage("--resume needs the id of a session here.", "See `talaria sessions list`.");
  return {
    ...(resume === undefined ? {} : { session: resume }),
    ...(newest === undefined ? {} : { continue: newest }),
  };
}

type Chatting = {
  talk: Talk;
  /** What the next message begins, where there is no session yet. */
  next: NewSession;
  readonly input: LineInput;
  last: ExitCode;
  prompts: number;
};

/** A line that could not be sent is no reason to end the chat. */
async function attempt(ports: CliPorts, host: Host, chatting: Chatting, text: string): Promise<boolean> {
  try {
    return await answer(ports, host, chatting, text);
  } catch (error) {
    chatting.last = reportFailure(error, { ...ports, json: false });
    return false;
  }
}

/** True: the person wants to leave. */
async function answer(ports: CliPorts, host: Host, chatting: Chatting, text: string): Promise<boolean> {
  if (text === "") return false;
  chatting.prompts += 1;
  if (parseCommand(text) === undefined) {
    await say(ports, host, chatting, [{ type: "text", text }]);
    return false;
  }
  const reply = await host.command(text, { ...chatting.talk, surface: "cli", cwd: ports.cwd });
  if (reply.text !== "") ports.stdout.write(`${reply.text}\n`);
  goOn(chatting, reply, ports.cwd);
  if (reply.send !== undefined) await say(ports, host, chatting, reply.send.input, reply.send.again);
  return reply.quit === true;
}

function goOn(chatting: Chatting, reply: CommandReply, cwd: string): void {
  chatting.talk = talkAfter(chatting.talk, reply);
  if (reply.session === null) chatting.next = newSession(cwd);
}

async function say(
  ports: CliPorts,
  host: Host,
  chatting: Chatting,
  input: readonly InputPart[],
  again?: InboxId,
): Promise<void> {
  const { choices, attended } = chatting.talk;
  const session = nextSession(chatting.talk, chatting.next);
  const turn = { session, input, choices, attended, ...(again === undefined ? {} : { again }) };
  chatting.last = await oneTurn(ports, host, turn, { input: chatting.input, advice: chatAdvice });
  chatting.talk = withSession(chatting.talk, typeof session === "string" ? session : session.id);
}

function greet(ports: CliPorts, host: Host): void {
  const { version, model, provider, runtime, profile } = host.status();
  const where = profile === "default" ? "" : ` · profile ${profile}`;
  ports.stdout.write(`Talaria ${version} · ${model} (${provider}) · runtime ${runtime}${where}\n`);
  ports.stdout.write("Type a message, /help for commands, Ctrl+C to stop a turn, Ctrl+D to leave.\n");
}

async function demonstrate(ports: CliPorts, host: Host): Promise<ExitCode> {
  ports.stdout.write("› hello\n");
  const input = [{ type: "text" as const, text: "hello" }];
  const code = await oneTurn(
    ports,
    host,
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
