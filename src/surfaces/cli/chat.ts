import type { Host } from "../../core/host.ts";
import type { SessionId } from "../../core/ids.ts";
import type { NewSession } from "../../core/session.ts";
import { systemClock } from "../../lib/clock.ts";
import { reportFailure } from "./failure.ts";
import { type LineInput, lineInput } from "./line-input.ts";
import type { CliPorts, ExitCode } from "./ports.ts";
import { attendedBy, newSession, oneTurn } from "./run.ts";
import { parseCommand } from "../../commands/command.ts";

/**
 * `talaria` alone. On a terminal: a simple chat. With piped input: each line is a prompt. With neither: one offline
 * turn, then how to start.
 */
export async function chat(ports: CliPorts, options: { readonly profile?: string }): Promise<ExitCode> {
  const interactive = ports.stdin.isTTY === true;
  const profile = options.profile === undefined ? {} : { profile: options.profile };
  await using host = await ports.openHost({ ...profile, titles: interactive });
  for (const warning of host.warnings) ports.stderr.write(`talaria: warning: ${warning}\n`);
  if (interactive) greet(ports, host);
  const input = lineInput(ports.stdin, systemClock);
  const talk: Talk = { session: newSession(ports.cwd), input, last: 0, prompts: 0 };
  // During a turn Ctrl+C stops the turn; between turns it leaves, as people expect of a shell.
  const leaveOnInterrupt = (): (() => void) => ports.onInterrupt(() => void ports.stdin.destroy());
  let ignore = leaveOnInterrupt();
  const prompt = (): void => void (interactive && ports.stdout.write("\n› "));
  prompt();
  for (let line = await input.next(); line !== undefined; line = await input.next()) {
    ignore();
    if (await attempt(ports, host, talk, line.trim())) return talk.last;
    // Whoever interrupts a script means all of it.
    if (talk.last === 130 && !interactive) return 130;
    ignore = leaveOnInterrupt();
    prompt();
  }
  ignore();
  if (interactive) ports.stdout.write("\n");
  if (talk.prompts === 0 && !interactive) return await demonstrate(ports, host);
  return talk.last;
}

type Talk = { session: SessionId | NewSession; readonly input: LineInput; last: ExitCode; prompts: number };

/** A line that could not be sent is no reason to end the chat. */
async function attempt(ports: CliPorts, host: Host, talk: Talk, text: string): Promise<boolean> {
  try {
    return await answer(ports, host, talk, text);
  } catch (error) {
    talk.last = reportFailure(error, { ...ports, json: false });
    return false;
  }
}

/** True: the person wants to leave. */
async function answer(ports: CliPorts, host: Host, talk: Talk, text: string): Promise<boolean> {
  if (text === "") return false;
  talk.prompts += 1;
  if (parseCommand(text) !== undefined) {
    const session = typeof talk.session === "string" ? { session: talk.session } : {};
    const reply = await host.command(text, { ...session, surface: "cli", cwd: ports.cwd });
    if (reply.text !== "") ports.stdout.write(`${reply.text}\n`);
    if (reply.session !== undefined) talk.session = reply.session ?? newSession(ports.cwd);
    return reply.quit === true;
  }
  const turn = { session: talk.session, input: [{ type: "text" as const, text }], choices: {} };
  const attended = attendedBy(ports, undefined);
  talk.last = await oneTurn(ports, host, { ...turn, attended }, { input: talk.input });
  if (typeof talk.session !== "string") talk.session = talk.session.id;
  return false;
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
