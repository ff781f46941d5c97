import type { ChatMessage } from "../../../core/gateway/chat.ts";
import { type Fields, fieldsOf } from "../../../core/json.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Call } from "./calls.ts";
import type { SlackIdentity } from "./identity.ts";
import { type Looked, lookup } from "./lookup.ts";
import { ownThreads } from "./own-threads.ts";

/** What an event does not say about itself: who somebody is, what the room is called, and whether a thread is one of ours. */
export type Company = {
  /** Rejects when it cannot be said now whom a reply in a thread is for. */
  complete(message: ChatMessage): Promise<ChatMessage>;
  /** The bot is part of this thread: replies in it are for the bot. */
  joined(chat: string, thread: string): void;
};

/** Slack waits three seconds for the acknowledgement of an event. */
const lookMs = 2000;

export function slackCompany(call: Call, clock: Clock, self: SlackIdentity): Company {
  const ask = (method: string, args: Fields) => call(method, args, { ms: lookMs });
  const person = lookup(clock, (user) => ask("users.info", { user }), personOf);
  const roomName = lookup(clock, (channel) => ask("conversations.info", { channel }), nameOfRoom);
  const threads = ownThreads(ask, clock, self);

  return {
    joined: threads.joined,
    async complete(message) {
      const { from, address, room } = message;
      const [isForBot, who, called] = await Promise.all([
        threads.isForBot(message),
        from.isBot ? undefined : person(from.id),
        room === "direct" ? undefined : roomName(address.chat),
      ]);
      const [found, name] = [valueOf(who), valueOf(called)];
      return {
        ...message,
        isForBot,
        from: {
          id: from.id,
          name: found?.name ?? from.name,
          isBot: from.isBot || found?.isBot === true,
        },
        ...(name === undefined ? {} : { roomName: name }),
      };
    },
  };
}

const valueOf = <T>(looked: Looked<T> | undefined): T | undefined =>
  looked !== undefined && "value" in looked ? looked.value : undefined;

function personOf(answer: Fields): { readonly name: string | undefined; readonly isBot: boolean } {
  const user = fieldsOf(answer["user"]);
  const profile = fieldsOf(user["profile"]);
  const called = [profile["display_name"], profile["real_name"], user["real_name"], user["name"]];
  return { name: called.find(isWord), isBot: user["is_bot"] === true };
}

const nameOfRoom = (answer: Fields): string | undefined => [fieldsOf(answer["channel"])["name"]].find(isWord);

const isWord = (value: unknown): value is string => typeof value === "string" && value !== "";
