import { nextSession } from "../../core/chat-state.ts";
import { toFailure } from "../../core/failure.ts";
import { chatName } from "../../core/gateway/chat.ts";
import type { ReceivedMessage, StoredPerson } from "../../core/gateway/tables.ts";
import type { Acknowledged, Outgoing } from "../../core/host.ts";
import type { InboxId } from "../../core/ids.ts";
import type { InputPart } from "../../core/messages.ts";
import type { Principal } from "../../core/principal.ts";
import { type BotParts, houseOf, say } from "./bot-parts.ts";
import { type Chat, begunWith, chatState, planSession } from "./chat-session.ts";
import type { LiveTurns } from "./live-turns.ts";
import { audienceOf } from "./place.ts";
import { receivedInput } from "./received-input.ts";

export type Admitting = BotParts & { readonly turns: Pick<LiveTurns, "expect"> };

/** Where messages go, and whose they are. */
export type Sender = { readonly chat: Chat; readonly from: Principal };

/** Sealed messages become one input. Whatever is taken in a second time is recognised by the name of the first one. */
export async function admit(
  parts: Admitting,
  rows: readonly ReceivedMessage[],
  sender: Sender,
  signal: AbortSignal,
): Promise<void> {
  const { gateway } = parts;
  const [first] = rows;
  if (first === undefined) return;
  const ids = rows.map(({ id }) => id);
  const place = { role: sender.from.role, folder: await folderFor(parts, first, sender) };
  const { input, remarks } = await receivedInput(parts, rows, place, signal);
  const replyTo = first.message.messageId;
  if (remarks.length > 0) await say(parts, sender.chat, remarks.join("\n"), { replyTo });
  if (input.length === 0)
    return void (await gateway.received.done(ids, "failed", {
      note: remarks.join(" ") || "nothing to read",
    }));
  const sent = await sendInput(parts, first, sender, { input, whenBusy: whenBusy(parts) });
  if ("failure" in sent) {
    await say(parts, sender.chat, `${sent.failure.message} ${sent.failure.next}`, { replyTo });
    await gateway.received.done(ids, "failed", { note: sent.failure.message });
    return;
  }
  await gateway.received.done(ids, "admitted", { inbox: sent.inbox });
  const word = busyWords[sent.state];
  if (word !== undefined) await say(parts, sender.chat, word, { replyTo });
}

/** Of the session that the messages will go into. */
async function folderFor(
  parts: Admitting,
  { message }: Pick<ReceivedMessage, "message">,
  { chat, from }: Sender,
): Promise<string> {
  const state = await chatState(parts, chat);
  const session = state.session ?? state.planned ?? (await planSession(parts, chat));
  const audience =
    state.session === undefined
      ? audienceOf(message.room, from.role as StoredPerson["role"])
      : (await houseOf(parts).call("sessions.get", { session })).audience;
  return parts.gateway.receivedFolder(session, audience);
}

const whenBusy = ({ gateway }: BotParts): Outgoing["whenBusy"] =>
  gateway.settings.busy === "steer" ? "steer" : "queue";

/** Nobody is left to guess what became of words that came while a turn ran. */
const busyWords: Readonly<Record<Acknowledged["state"], string | undefined>> = {
  running: undefined,
  duplicate: undefined,
  queued: "Queued: it comes after what I'm doing now. /stop ends that.",
  steered: "Passed on to what I'm doing now.",
  unconfirmed: "I tried to pass that on to what I'm doing now, and can't tell whether it arrived.",
};

type Words = {
  readonly input: readonly InputPart[];
  readonly whenBusy: Outgoing["whenBusy"];
  readonly again?: InboxId;
};

/** Rejects when it may go better later: what is sealed stays so. */
export async function sendInput(
  parts: Admitting,
  { message }: Pick<ReceivedMessage, "message">,
  { chat, from }: Sender,
  words: Words,
): Promise<Acknowledged | { readonly failure: { readonly message: string; readonly next: string } }> {
  const { address, messageId, room } = message;
  const client = parts.host.as(from);
  try {
    const state = await chatState(parts, chat);
    if (
      parts.gateway.settings.busy === "interrupt" &&
      state.session !== undefined &&
      words.whenBusy === "queue"
    )
      await client.call("turns.stop", { session: state.session }).catch(() => {});
    // Where several share a chat, what the owner has chosen there waits for the owner's next message.
    const isChosen = from.role === "owner" && Object.keys(state.choices).length > 0;
    const choices = isChosen ? { choices: state.choices } : {};
    const id = state.session ?? state.planned ?? (await planSession(parts, chat));
    const fresh = { id, audience: audienceOf(room, from.role as "owner" | "member" | "guest") };
    const sent = await client.call("turns.send", {
      ...words,
      key: { account: address.account, chat: chatName(address), messageId },
      session: nextSession(state, fresh as never),
      attended: "ask",
      ...choices,
    });
    await begunWith(parts, chat, state, sent.session, isChosen);
    parts.turns.expect(sent.session, sent.inbox, chat);
    return sent;
  } catch (error) {
    const failure = toFailure(error);
    if (laterCodes.has(failure.code)) throw error;
    return { failure };
  }
}

const laterCodes: ReadonlySet<string> = new Set(["stopping", "storage"]);
