import { parseCommand } from "../../commands/command.ts";
import { toFailure } from "../../core/failure.ts";
import type { Host } from "../../core/host.ts";
import { type SessionId, newId } from "../../core/ids.ts";
import type { InputPart } from "../../core/messages.ts";
import type { NewSession } from "../../core/session.ts";
import { type Sending, type Talk, nextSession, talkAfter, withSession } from "../../core/talk.ts";
import { typedInput } from "../../core/skill-input.ts";
import type { Clock } from "../../lib/clock.ts";
import { clipboardPicture } from "./clipboard.ts";
import { greet, showChoices } from "./facts.ts";
import { mentions } from "./mentions.ts";
import { type OwnCommand, ownCommand } from "./own-command.ts";
import type { TuiPorts } from "./ports.ts";
import type { Screen } from "./screen.ts";
import { type SessionWatch, sessionWatch } from "./session-watch.ts";

export type ConversationParts = {
  readonly host: Host;
  readonly screen: Screen;
  readonly ports: Pick<TuiPorts, "env" | "cwd" | "version">;
  readonly clock: Clock;
  readonly leave: () => void;
};

/** What a person does at the prompt, and what becomes of it. Nothing that is submitted rejects: what goes wrong is shown. */
export interface Conversation {
  begin(session: SessionId | undefined): Promise<void>;
  submit(text: string, isPasted?: boolean): Promise<void>;
  /** Looks for a picture on the clipboard and sends it with the next message. */
  attach(): Promise<void>;
  /** False: there was nothing to stop. */
  stop(): boolean;
  end(): void;
  /** What a shell shows once the screen is gone. */
  farewell(): string;
}

type Picture = Extract<InputPart, { type: "image" }>;

/** A conversation as it stands. */
type Standing = ConversationParts & {
  readonly watch: SessionWatch;
  readonly own: OwnCommand;
  talk: Talk;
  /** What the next message begins, where there is no session yet. */
  next: NewSession;
  pictures: readonly Picture[];
};

export function conversation(parts: ConversationParts): Conversation {
  const { host, screen, ports, clock } = parts;
  const standing: Standing = {
    ...parts,
    watch: sessionWatch(parts),
    own: ownCommand(parts),
    talk: { choices: {}, attended: "ask" },
    next: newSession(clock, ports.cwd),
    pictures: [],
  };
  const { watch, own } = standing;
  return {
    async begin(session) {
      if (session !== undefined) standing.talk = { ...standing.talk, session };
      const codex = await greet(host, screen, ports.cwd, standing.talk);
      await goOnIn(standing, session);
      await showChoices(host, screen, standing.talk, codex);
      screen.prompt.history(await host.sessions.prompts({ limit: 200 }));
      screen.status({ hint: undefined });
    },
    async submit(text, isPasted = false) {
      try {
        if (text.startsWith("!")) return await own.run(text);
        await (parseCommand(text) === undefined
          ? message(standing, text, isPasted)
          : command(standing, text));
      } catch (error) {
        screen.view.fault(toFailure(error));
      } finally {
        screen.repaint();
      }
    },
    attach: () => attach(standing),
    stop: () => own.stop() || watch.stop(),
    end: () => watch.end(),
    farewell: () => farewell(standing.talk),
  };
}

async function command(standing: Standing, line: string): Promise<void> {
  const { host, screen, ports } = standing;
  const reply = await host.command(line, { ...standing.talk, surface: "tui", cwd: ports.cwd });
  const { choose, session, send } = reply;
  if (choose !== undefined && choose.options.length > 0) {
    if (choose.asks === true) screen.view.reply(reply.text, line);
    const value = await screen.pick(choose);
    if (value !== undefined) await command(standing, `${choose.command} ${value}`);
    return;
  }
  // What is sent is shown as a message.
  if (reply.text !== "" || send === undefined) screen.view.reply(reply.text, line);
  const before = standing.talk.session;
  standing.talk = talkAfter(standing.talk, reply);
  if (session !== undefined && standing.talk.session !== before)
    await goOnIn(standing, standing.talk.session);
  await showChoices(host, screen, standing.talk);
  if (send !== undefined) await deliver(standing, send);
  if (reply.quit === true) standing.leave();
}

/** `undefined`: in one that the next message begins. */
async function goOnIn(standing: Standing, session: SessionId | undefined): Promise<void> {
  if (session === undefined) standing.next = newSession(standing.clock, standing.ports.cwd);
  await standing.watch.follow(session, session ?? standing.next.id);
}

async function message(standing: Standing, text: string, isPasted: boolean): Promise<void> {
  const { host, screen, ports, watch, own, pictures } = standing;
  const { parts, problems } = await mentions(text, ports.cwd);
  for (const problem of problems) screen.view.note(problem);
  if (problems.length > 0) return giveBack(screen, text);
  const { busyInput } = host.status().display;
  const { session } = standing.talk;
  if (busyInput === "interrupt" && session !== undefined && watch.isBusy()) await host.stop(session);
  const input = [...own.notes(), ...parts, ...pictures];
  const whenBusy = busyInput === "steer" ? "steer" : "queue";
  const sending = { input, whenBusy, ...(await setAside(standing, text)) } as const;
  const taken = await deliver(standing, sending, text, isPasted ? "paste" : "");
  if (!taken) return giveBack(screen, text);
  own.forget();
  standing.pictures = [];
  screen.status({ hint: undefined });
}

/** The same words once more are what was set aside: an arrow key has brought them back. */
async function setAside({ host, talk }: Standing, text: string): Promise<Pick<Sending, "again">> {
  const kept = talk.session === undefined ? [] : await host.sessions.setAside(talk.session);
  const found = kept.findLast(({ input }) => wordsOf(input) === text);
  return found === undefined ? {} : { again: found.id };
}

/** False: it was not taken in, and the person has seen why. */
async function deliver(
  standing: Standing,
  { input, whenBusy, ...rest }: Sending,
  shown: string = wordsOf(input),
  // Not typed, so nobody knows whose words they are.
  account = "",
): Promise<boolean> {
  const { host, screen, watch, talk } = standing;
  const session = nextSession(talk, standing.next);
  await watch.catchUp(talk.session);
  const id = crypto.randomUUID();
  const pictures = input.flatMap((part) => (part.type === "image" ? [part.name] : []));
  watch.inputs.add(id, shown, pictures, watch.isBusy() ? "queued" : undefined);
  screen.repaint();
  try {
    const chat = typeof session === "string" ? session : session.id;
    const key = { surface: "tui", account, chat, messageId: id };
    const { choices, attended } = talk;
    const sent = await host.send({ key, session, input, whenBusy, attended, choices, ...rest });
    standing.talk = withSession(standing.talk, sent.session);
    watch.inputs.sent(id, sent);
    return true;
  } catch (error) {
    watch.inputs.refused(id);
    screen.view.fault(toFailure(error));
    return false;
  }
}

/** Nothing typed is lost, whatever becomes of it. */
function giveBack({ prompt, view }: Screen, text: string): void {
  if (prompt.isEmpty()) return prompt.setText(text);
  view.note(`Not sent: ${text}`);
}

const lookMs = 5_000;

async function attach(standing: Standing): Promise<void> {
  const { screen, ports, clock } = standing;
  const found = await clipboardPicture(ports.env, clock, AbortSignal.timeout(lookMs));
  if ("none" in found) {
    screen.view.note(found.none);
    return screen.repaint();
  }
  standing.pictures = [...standing.pictures, { type: "image", ...found }];
  const count = standing.pictures.length;
  screen.status({ hint: `${count} picture${count === 1 ? "" : "s"} with the next message` });
}

const farewell = ({ session }: Talk): string =>
  session === undefined ? "" : `The session is kept. Go on with it: talaria --resume ${session}\n`;

const wordsOf = (input: readonly InputPart[]): string =>
  typedInput(input.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"));

const newSession = (clock: Clock, cwd: string): NewSession => ({
  id: newId("ses", clock.now()),
  cwd,
  surface: "tui",
});
