import type { ChatMessage } from "../../../core/gateway/chat.ts";
import { type Fields, fieldsOf, listOf } from "../../../core/json.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Answered } from "./calls.ts";
import type { SlackIdentity } from "./identity.ts";
import { dropOldest, lookup } from "./lookup.ts";
import { names } from "./plain-text.ts";

/** Threads that the bot is part of: whoever writes in one goes on talking with it, without naming it each time. */
export type OwnThreads = {
  joined(chat: string, thread: string): void;
  /** Rejects when that cannot be said now. */
  isForBot(message: ChatMessage): Promise<boolean>;
};

const mostThreads = 5000;

export function ownThreads(
  ask: (method: string, args: Readonly<Record<string, unknown>>) => Promise<Answered>,
  clock: Clock,
  self: SlackIdentity,
): OwnThreads {
  const threads = new Set<string>();
  const isOurs = lookup(
    clock,
    (name) => {
      const [channel, ts] = name.split("/");
      return ask("conversations.replies", { channel, ts, limit: 1 });
    },
    (answer) => isPartOf(fieldsOf(listOf(answer["messages"])[0]), self),
  );
  const joined = (chat: string, thread: string): void => {
    threads.add(`${chat}/${thread}`);
    dropOldest(threads, mostThreads);
  };

  return {
    joined,
    async isForBot({ address: { chat, thread }, isForBot, room }) {
      if (room === "direct" || thread === undefined) return isForBot;
      if (isForBot) joined(chat, thread);
      if (threads.has(`${chat}/${thread}`)) return true;
      const looked = await isOurs(`${chat}/${thread}`);
      if ("value" in looked) return looked.value;
      if (looked.missing === "refused") return false;
      throw new Error(`it cannot be found out now whether the thread ${chat}/${thread} is one of ours`);
    },
  };
}

/** Somebody began the thread by naming the bot, or the bot has written in it. */
const isPartOf = (root: Fields, self: SlackIdentity): boolean =>
  root["user"] === self.user ||
  names(String(root["text"] ?? ""), self.user) ||
  listOf(root["reply_users"]).includes(self.user);
