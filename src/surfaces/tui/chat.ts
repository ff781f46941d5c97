import { parseCommand } from "../../operations/chat/command.ts";
import { toFailure } from "../../core/failure.ts";
import type { Client } from "../../core/calls.ts";
import { type SessionId, newId } from "../../core/ids.ts";
import type { InputPart } from "../../core/messages.ts";
import type { NewSession } from "../../core/session.ts";
import {
  type Sending,
  type ChatState,
  nextSession,
  chatStateAfter,
  withSession,
} from "../../core/chat-state.ts";
import { typedInput } from "../../core/skill-input.ts";
import type { Clock } from "../../lib/clock.ts";
import { clipboardPicture } from "./input/clipboard.ts";
import { showBanner, showChoices } from "./runtime-facts.ts";
import { mentionedPictures } from "./input/mentioned-pictures.ts";
import { type OwnCommand, ownCommand } from "./input/own-command.ts";
import type { TuiPorts } from "./ports.ts";
import type { Screen } from "./screen.ts";
import { type SessionWatch, sessionWatch } from "./session-watch.ts";

export type ChatParts = {
  readonly host: Client;
  readonly screen: Screen;
  readonly ports: Pick<TuiPorts, "env" | "cwd" | "version">;
  readonly clock: Clock;
  readonly leave: () => void;
};

/** What a person does at the prompt, and what becomes of it. Nothing that is submitted rejects: what goes wrong is shown. */
export interface Chat {
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
type OpenChat = ChatParts & {
  readonly watch: SessionWatch;
  readonly own: OwnCommand;
  chatState: ChatState;
  /** What the next message begins, where there is no session yet. */
  next: NewSession;
  pictures: readonly Picture[];
};

export function openChat(parts: ChatParts): Chat {
  const { host, screen, ports, clock } = parts;
  const current: OpenChat = {
    ...parts,
    watch: sessionWatch(parts),
    own: ownCommand(parts),
    chatState: { choices: {}, attended: "ask" },
    next: newSession(clock, ports.cwd),
    pictures: [],
  };
  const { watch, own } = current;
  return {
    async begin(session) {
      if (session !== undefined) current.chatState = { ...current.chatState, session };
      const codex = await showBanner(host, screen, ports.cwd, current.chatState);
      await goOnIn(current, session);
      await showChoices(host, screen, current.chatState, codex);
      screen.prompt.history(await host.call("prompts.list", { limit: 200 }));
      screen.status({ hint: undefined });
    },
    async submit(text, isPasted = false) {
      try {
        if (text.startsWith("!")) return await own.run(text);
        await (parseCommand(text) === undefined ? message(current, text, isPasted) : command(current, text));
      } catch (error) {
        screen.view.fault(toFailure(error));
      } finally {
        screen.repaint();
      }
    },
    attach: () => attach(current),
    stop: () => own.stop() || watch.stop(),
    end: () => watch.end(),
    farewell: () => farewell(current.chatState),
  };
}

async function command(current: OpenChat, line: string): Promise<void> {
  const { host, screen, ports } = current;
  const reply = await host.call("chat.command", {
    line,
    chat: { ...current.chatState, surface: "tui", cwd: ports.cwd },
  });
  const { choose, session, send } = reply;
  if (choose !== undefined && choose.options.length > 0) {
    if (choose.asks === true) screen.view.reply(reply.text, line);
    const value = await screen.pick(choose);
    if (value !== undefined) await command(current, `${choose.command} ${value}`);
    return;
  }
  // What is sent is shown as a message.
  if (reply.text !== "" || send === undefined) screen.view.reply(reply.text, line);
  const before = current.chatState.session;
  current.chatState = chatStateAfter(current.chatState, reply);
  if (session !== undefined && current.chatState.session !== before)
    await goOnIn(current, current.chatState.session);
  await showChoices(host, screen, current.chatState);
  if (send !== undefined) await deliver(current, send);
  if (reply.quit === true) current.leave();
}

/** `undefined`: in one that the next message begins. */
async function goOnIn(current: OpenChat, session: SessionId | undefined): Promise<void> {
  if (session === undefined) current.next = newSession(current.clock, current.ports.cwd);
  await current.watch.follow(session, session ?? current.next.id);
}

async function message(current: OpenChat, text: string, isPasted: boolean): Promise<void> {
  const { host, screen, ports, watch, own, pictures } = current;
  const { parts, problems } = await mentionedPictures(text, ports.cwd);
  for (const problem of problems) screen.view.note(problem);
  if (problems.length > 0) return giveBack(screen, text);
  const { busyInput } = (await host.call("host.status", {})).display;
  const { session } = current.chatState;
  if (busyInput === "interrupt" && session !== undefined && watch.isBusy())
    await host.call("turns.stop", { session });
  const input = [...own.notes(), ...parts, ...pictures];
  const whenBusy = busyInput === "steer" ? "steer" : "queue";
  const sending = { input, whenBusy, ...(await setAside(current, text)) } as const;
  const taken = await deliver(current, sending, text, isPasted ? "paste" : "");
  if (!taken) return giveBack(screen, text);
  own.forget();
  current.pictures = [];
  screen.status({ hint: undefined });
}

/** The same words once more are what was set aside: an arrow key has brought them back. */
async function setAside({ host, chatState }: OpenChat, text: string): Promise<Pick<Sending, "again">> {
  const { session } = chatState;
  const parked = session === undefined ? [] : await host.call("inputs.setAside", { session });
  const found = parked.findLast(({ input }) => wordsOf(input) === text);
  return found === undefined ? {} : { again: found.id };
}

/** False: it was not taken in, and the person has seen why. */
async function deliver(
  current: OpenChat,
  { input, whenBusy, ...rest }: Sending,
  shown: string = wordsOf(input),
  // Not typed, so nobody knows whose words they are.
  account = "",
): Promise<boolean> {
  const { host, screen, watch, chatState } = current;
  const session = nextSession(chatState, current.next);
  await watch.catchUp(chatState.session);
  const id = crypto.randomUUID();
  const pictures = input.flatMap((part) => (part.type === "image" ? [part.name] : []));
  watch.inputs.add(id, shown, pictures, watch.isBusy() ? "queued" : "sending");
  screen.repaint();
  try {
    const chat = typeof session === "string" ? session : session.id;
    const key = { surface: "tui", account, chat, messageId: id };
    const { choices, attended } = chatState;
    const sent = await host.call("turns.send", {
      key,
      session,
      input,
      whenBusy,
      attended,
      choices,
      ...rest,
    });
    current.chatState = withSession(current.chatState, sent.session);
    watch.inputs.sent(id, sent.state, () => host.call("turns.wait", { inbox: sent.inbox }));
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

async function attach(current: OpenChat): Promise<void> {
  const { screen, ports, clock } = current;
  const found = await clipboardPicture(ports.env, clock, AbortSignal.timeout(lookMs));
  if ("none" in found) {
    screen.view.note(found.none);
    return screen.repaint();
  }
  current.pictures = [...current.pictures, { type: "image", ...found }];
  const count = current.pictures.length;
  screen.status({ hint: `${count} picture${count === 1 ? "" : "s"} with the next message` });
}

const farewell = ({ session }: ChatState): string =>
  session === undefined ? "" : `The session is kept. Go on with it: talaria --resume ${session}\n`;

const wordsOf = (input: readonly InputPart[]): string =>
  typedInput(input.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"));

const newSession = (clock: Clock, cwd: string): NewSession => ({
  id: newId("ses", clock.now()),
  cwd,
  surface: "tui",
  audience: "owner",
});
