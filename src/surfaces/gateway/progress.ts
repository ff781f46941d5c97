import type { Envelope } from "../../core/events.ts";
import { addressOf } from "../../core/gateway/chat.ts";
import type { ChatPlace, StoredChat } from "../../core/gateway/tables.ts";
import { type Clock, timeLimit } from "../../lib/clock.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";
import { untilStopped } from "../../lib/time-limit.ts";
import type { BotParts } from "./bot-parts.ts";
import { type TurnView, newView, statusText, viewAfter } from "./turn-words.ts";

/** An answer that comes sooner needs no line before it. */
const firstLineMs = 1500;
/** Platforms count edits as messages, and groups are given fewer of them. */
const betweenEditsMs = { direct: 3000, group: 6000 } as const;
const typingMs = 4000;
const callMs = 10_000;

/** One turn, as its chat sees it: somebody types, then one line that changes, until the answer is there. */
export type Progress = AsyncDisposable & { hear(event: Envelope): void };

/** All of it is best effort: nothing waits for it, and nothing is lost with it. */
export function showProgress(
  parts: Pick<BotParts, "adapter" | "gateway" | "clock" | "log">,
  at: ChatPlace & Pick<StoredChat, "room" | "roomName">,
): Progress {
  const { adapter, clock, gateway } = parts;
  const over = new AbortController();
  const to = addressOf(at);
  let view: TurnView = newView(clock.now());
  const limited = async <T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    // What hangs must not hold up the end.
    using limit = timeLimit(clock, callMs);
    return await untilStopped(call(limit.signal), limit.signal);
  };
  // Of no use to anybody when the turn is over.
  const typing = every(clock, 0, typingMs, over.signal, () =>
    limited((signal) => untilStopped(adapter.typing(to, signal), over.signal)),
  );
  const line = statusLine();
  const editing = every(clock, firstLineMs, betweenEditsMs[at.room], over.signal, line.show);
  return {
    hear: (event) => void (view = viewAfter(view, event)),
    async [Symbol.asyncDispose]() {
      over.abort(noLongerNeeded);
      await Promise.allSettled([typing, editing]);
      await line.remove();
    },
  };

  function statusLine() {
    let id: string | undefined;
    let shown = "";
    return {
      async show(): Promise<void> {
        const text = statusText(view, clock.now(), gateway.settings.stream);
        if (text === shown) return;
        const { part } = adapter.renderQuestion(text, undefined);
        shown = text;
        if (id !== undefined) {
          const known = id;
          await limited((signal) => adapter.edit(to, known, part, signal));
          return;
        }
        // Of a turn before, that could not be removed.
        const left = (await gateway.chats.get(at))?.status;
        if (left !== undefined) await removeStatus(parts, at, left);
        const sent = await limited((signal) => adapter.send(to, { part, nonce: nonce() }, signal));
        if (!("sent" in sent)) return;
        id = sent.sent;
        await gateway.chats.change(at, { status: id }, clock.now());
      },
      async remove(): Promise<void> {
        if (id !== undefined) await removeStatus(parts, at, id);
      },
    };
  }
}

const overText = "·";

const nonce = (): string => crypto.randomUUID().slice(0, 25);

export async function removeStatus(
  { adapter, gateway, clock, log }: Pick<BotParts, "adapter" | "gateway" | "clock" | "log">,
  at: ChatPlace & Pick<StoredChat, "room" | "roomName">,
  id: string,
): Promise<void> {
  try {
    using limit = timeLimit(clock, callMs);
    const removed = await untilStopped(adapter.remove(addressOf(at), id, limit.signal), limit.signal);
    // It is still known, and goes with the next one.
    if ("heldMs" in removed) return;
    if (!("sent" in removed)) {
      // It may stand there for good: then as something that is over.
      const { part } = adapter.renderQuestion(overText, undefined);
      await untilStopped(adapter.edit(addressOf(at), id, part, limit.signal), limit.signal);
    }
    if ("notSent" in removed) return;
    await gateway.chats.change(at, { status: null }, clock.now());
  } catch (error) {
    log(`a status line of ${at.surface} ${at.chat} stays: ${String(error)}`);
  }
}

/** Never two at once, and never rejects. */
async function every(
  clock: Clock,
  firstMs: number,
  ms: number,
  over: AbortSignal,
  act: () => Promise<void>,
): Promise<void> {
  let pause = firstMs;
  while (!over.aborted) {
    const slept = await clock.sleep(pause, over).then(
      () => true,
      () => false,
    );
    if (slept) await act().catch(() => {});
    pause = ms;
  }
}
