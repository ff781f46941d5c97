import { parseCommand } from "../../commands/command.ts";
import { toFailure } from "../../core/failure.ts";
import type { Host } from "../../core/host.ts";
import { type SessionId, newId } from "../../core/ids.ts";
import type { InputPart } from "../../core/messages.ts";
import type { NewSession } from "../../core/session.ts";
import { type CommandReply, type Talk, nextSession, talkAfter, withSession } from "../../core/talk.ts";
import type { Clock } from "../../lib/clock.ts";
import { clipboardPicture } from "./clipboard.ts";
import { mentions } from "./mentions.ts";
import { ownCommand } from "./own-command.ts";
import type { TuiPorts } from "./ports.ts";
import type { Screen } from "./screen.ts";
import { sessionWatch } from "./session-watch.ts";

export type ConversationParts = {
  readonly host: Host;
  readonly screen: Screen;
  readonly ports: Pick<TuiPorts, "env" | "cwd" | "version">;
  readonly clock: Clock;
  readonly leave: () => void;
};

/** What a person does at the prompt, and what becomes of it. Nothing here rejects: whatever goes wrong is shown. */
export interface Conversation {
  begin(session: SessionId | undefined): Promise<void>;
  submit(text: string): Promise<void>;
  /** Looks for a picture on the clipboard and sends it with the next message. */
  attach(): Promise<void>;
  /** False: there was nothing to stop. */
  stop(): boolean;
  /** Leaves the session; resolves nothing that still runs. */
  end(): void;
  /** What a shell shows once the screen is gone. */
  farewell(): string;
}

export function conversation(parts: ConversationParts): Conversation {
  const { host, screen, ports, clock } = parts;
  const { view, prompt } = screen;
  const watch = sessionWatch(parts);
  const own = ownCommand(parts);
  let talk: Talk = { choices: {}, attended: "ask" };
  let next = newSession(clock, ports.cwd);
  let pictures: readonly Extract<InputPart, { type: "image" }>[] = [];

  const goOnIn = async (session: SessionId | undefined): Promise<void> => {
    const { session: _, ...rest } = talk;
    talk = session === undefined ? rest : { ...rest, session };
    if (session === undefined) next = newSession(clock, ports.cwd);
    await watch.follow(session, session ?? next.id);
  };

  const command = async (line: string): Promise<void> => {
    const reply = await host.command(line, { ...talk, surface: "tui", cwd: ports.cwd });
    const { choose } = reply;
    if (choose !== undefined && choose.options.length > 0) {
      const value = await screen.pick(choose);
      if (value !== undefined) await command(`${choose.command} ${value}`);
      return;
    }
    if (reply.text !== "") view.reply(reply.text);
    await goOn(reply);
  };

  const goOn = async (reply: CommandReply): Promise<void> => {
    const before = talk.session;
    talk = talkAfter(talk, reply);
    if (reply.session !== undefined && (reply.session ?? undefined) !== before)
      await goOnIn(reply.session ?? undefined);
    await watch.refresh(talk);
    if (reply.send !== undefined) await deliver(reply.send.input, reply.send.whenBusy);
    if (reply.quit === true) parts.leave();
  };

  const message = async (text: string): Promise<void> => {
    const { parts: typed, problems } = await mentions(text, ports.cwd);
    if (problems.length > 0) {
      for (const problem of problems) view.note(problem);
      return giveBack(text);
    }
    const { busyInput } = host.status().display;
    if (busyInput === "interrupt" && watch.isBusy() && talk.session !== undefined)
      await host.stop(talk.session);
    const sent = await deliver(
      [...own.notes(), ...typed, ...pictures],
      busyInput === "steer" ? "steer" : "queue",
      text,
    );
    if (!sent) return giveBack(text);
    own.forget();
    pictures = [];
  };

  /** Nothing typed is lost, whatever becomes of it. */
  const giveBack = (text: string): void => {
    if (prompt.isEmpty()) prompt.setText(text);
    else view.note(`Not sent: ${text}`);
  };

  const deliver = async (
    input: readonly InputPart[],
    whenBusy: "queue" | "steer",
    shown: string = wordsOf(input),
  ): Promise<boolean> => {
    const session = nextSession(talk, next);
    const id = crypto.randomUUID();
    const shownPictures = input.flatMap((part) => (part.type === "image" ? [part.name] : []));
    watch.typed(id, shown, shownPictures);
    try {
      const chat = typeof session === "string" ? session : session.id;
      const key = { surface: "tui", account: "", chat, messageId: id };
      const { choices, attended } = talk;
      const sent = await host.send({ key, session, input, whenBusy, attended, choices });
      talk = withSession(talk, sent.session);
      watch.sent(id, sent);
      return true;
    } catch (error) {
      watch.refused(id);
      view.fault(toFailure(error));
      return false;
    } finally {
      screen.repaint();
    }
  };

  return {
    async begin(session) {
      await watch.greet();
      await goOnIn(session);
      await watch.refresh(talk);
      prompt.history(await host.sessions.prompts({ limit: 200 }));
    },
    async submit(text) {
      try {
        if (text.startsWith("!")) return await own.run(text);
        await (parseCommand(text) === undefined ? message(text) : command(text));
      } catch (error) {
        view.fault(toFailure(error));
      } finally {
        screen.repaint();
      }
    },
    async attach() {
      const found = await clipboardPicture(ports.env, clock, AbortSignal.timeout(5_000));
      if ("none" in found) return (view.note(found.none), screen.repaint());
      pictures = [...pictures, { type: "image", ...found }];
      screen.status({
        hint: `${pictures.length} picture${pictures.length === 1 ? "" : "s"} with the next message`,
      });
    },
    stop: () => own.stop() || watch.stop(),
    end: () => watch.end(),
    farewell: () =>
      talk.session === undefined
        ? ""
        : `The session is kept. Go on with it: talaria --resume ${talk.session}\n`,
  };
}

const wordsOf = (input: readonly InputPart[]): string =>
  input.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");

const newSession = (clock: Clock, cwd: string): NewSession => ({
  id: newId("ses", clock.now()),
  cwd,
  surface: "tui",
});
