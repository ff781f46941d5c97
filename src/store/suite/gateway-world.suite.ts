import type { ChatMessage } from "../../core/gateway/chat.ts";
import type { ChatPlace, NewOutbox, OutboxTable, StoredPairing } from "../../core/gateway/tables.ts";
import type { Store } from "../store.ts";
import { nobodyIsGone, owner } from "./world.suite.ts";

export const bot = { surface: "telegram", account: "bot" } as const;
export const chat = { ...bot, chat: "77" } as const;
export const place: ChatPlace = { ...chat, person: "" };

/** A message of the chat. Its place there is its number, if it has one. */
export const message = (messageId: string, also: Partial<ChatMessage> = {}): ChatMessage => ({
  kind: "message",
  address: chat,
  messageId,
  order: messageId.padStart(12, "0"),
  at: 1,
  from: { id: "p", name: "Pat", isBot: false },
  room: "direct",
  text: `words of ${messageId}`,
  isForBot: true,
  files: [{ handle: "h", kind: "image", name: "a.png" }],
  ...also,
});

export const answer = (markdown: string, also: Partial<NewOutbox> = {}): NewOutbox => ({
  ...chat,
  body: { kind: "answer", markdown },
  ...also,
});

export const part = (words: string, also: Partial<NewOutbox> = {}): NewOutbox =>
  answer("", { body: { kind: "part", part: words }, ...also });

const minuteMs = 60_000;

export const pairing = (id: string, askedAt = 0, also: Partial<StoredPairing> = {}): StoredPairing => ({
  surface: "telegram",
  id,
  name: `name of ${id}`,
  chat: { ...bot, chat: id },
  askedAt,
  expiresAt: askedAt + 60 * minuteMs,
  ...also,
});

/** The first one that is to be sent. */
export async function firstDue(outbox: OutboxTable): Promise<string> {
  const [first] = await outbox.due(bot.surface, bot.account);
  return first?.id ?? "none";
}

/** Somebody answers for the bot from now on. */
export async function takeBot({ leases }: Store, pid: number, at: number) {
  const duty = "bot:hash";
  const taken = await leases.acquireDuty(duty, owner(pid), at, nobodyIsGone);
  if ("busy" in taken) throw new Error("the bot is busy");
  return { duty, epoch: taken.lease.epoch } as const;
}
