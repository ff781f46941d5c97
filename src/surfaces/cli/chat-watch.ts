import { chatAdvice } from "../../core/advice.ts";
import type { Client } from "../../core/calls.ts";
import { type FromElsewhere, fromElsewhere } from "../../core/client/elsewhere.ts";
import { type Listening, listen } from "../../core/client/listening.ts";
import type { SeenTurns } from "../../core/client/past.ts";
import type { Envelope, SaidEvent } from "../../core/events.ts";
import type { SessionId, TurnId } from "../../core/ids.ts";
import { messageText, userMessage } from "../../core/messages.ts";
import { clean } from "../../core/plain-text.ts";
import type { CliPorts } from "./ports.ts";
import { hasColor } from "./run.ts";
import { turnPrinter } from "./turn-printer.ts";

/** Shows what happens in the session of a chat of lines beside its own turns: what other processes do, what comes after a turn. */
export type ChatWatch = Disposable & {
  /** From now on this session, of which all that was is seen. */
  follow(session: SessionId | undefined, seen: SeenTurns): void;
  /** A turn of our own, which is shown by itself. */
  during<T>(turn: Promise<T>): Promise<T>;
};

/** `prompt`: asks for the next line again, after something was shown in between. */
export function chatWatch(ports: CliPorts, client: Client, prompt: () => void): ChatWatch {
  const say = (line: string): void => void ports.stderr.write(`${line}\n`);
  const onError = (error: unknown): void => say(`talaria: ${String(error)}`);
  let following: { readonly session: SessionId; readonly listening: Listening } | undefined;
  let away: FromElsewhere | undefined;
  let ownTurns = 0;

  const leave = (): void => {
    following?.listening.leave();
    following = undefined;
  };
  const watched = (seen: SeenTurns): FromElsewhere => {
    const print = turnPrinter({ ...ports, quiet: false, color: hasColor(ports), advice: chatAdvice });
    const show = (event: Envelope): void => {
      if (event.type === "said") say(wordsLine(event));
      if (event.type === "approval" && event.approval.decision === undefined)
        say(`· It waits for an answer there: ${clean(event.approval.question.summary)}`);
      print(event);
      if (event.type === "ended") prompt();
    };
    // Behind the prompt, which somebody may be typing at.
    return fromElsewhere(seen, () => say("\n· This session went on elsewhere:"), show);
  };

  return {
    follow(session, seen) {
      if (session === following?.session) return;
      leave();
      if (session === undefined) return;
      const hears = (away = watched(seen));
      let theirs: TurnId | undefined;
      const hear = (event: Envelope): void => {
        const isInto = event.type === "said" && event.steered === true;
        if (event.type === "said" && !isInto) theirs = event.turn;
        if (event.elsewhere === true || event.turn === theirs) return hears.hear(event);
        if (isInto) return say(`\n${wordsLine(event)}`);
        if (event.type !== "notice" || ownTurns > 0) return;
        say(`\n· ${clean(event.text)}`);
        prompt();
      };
      following = { session, listening: listen(client, session, hear, { elsewhere: true, onError }) };
      hears.release();
    },
    async during(turn) {
      ownTurns += 1;
      try {
        return await turn;
      } finally {
        ownTurns -= 1;
        away?.interrupted();
      }
    },
    [Symbol.dispose]: leave,
  };
}

const wordsLine = ({ input }: SaidEvent): string => `› ${clean(messageText(userMessage(input)))}`;
