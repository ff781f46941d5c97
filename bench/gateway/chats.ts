import { type FakeDiscord, startDiscord } from "../../test/fakes/discord/discord.ts";
import { type FakeSlack, startSlack } from "../../test/fakes/slack/slack.ts";
import { type FakeTelegram, direct, forum, startTelegram } from "../../test/fakes/telegram/telegram.ts";
import type { Platform } from "../../src/core/gateway/chat.ts";
import type { SeenChat, Shown } from "./verdict.ts";
import { question } from "./words.ts";

/** A chat of one of the platforms, with one person who writes there. */
export type BenchChat = {
  readonly index: number;
  readonly surface: Platform;
  /** Asks the next question. */
  ask(): void;
  /** How it looks now. */
  seen(): SeenChat;
};

/** The three platforms on loopback. They live in this process, and so outlive every host. */
export type Platforms = AsyncDisposable & {
  readonly telegram: FakeTelegram;
  readonly slack: FakeSlack;
  readonly discord: FakeDiscord;
  readonly chats: readonly BenchChat[];
  /** Who is to be let in, as `talaria gateway allow` names them. */
  readonly people: readonly { readonly surface: Platform; readonly id: string }[];
};

type Line = Pick<BenchChat, "surface"> & {
  readonly chat: string;
  readonly person: string;
  say(text: string): string;
  shown(): readonly Shown[];
};

/** `count` chats, in turns on the three platforms: direct ones, threads and topics. */
export async function startPlatforms(count: number): Promise<Platforms> {
  await using parts = new AsyncDisposableStack();
  const telegram = parts.use(await startTelegram());
  const slack = parts.use(await startSlack());
  const discord = parts.use(await startDiscord());
  const makers = [telegramChat(telegram, count), slackChat(slack), discordChat(discord)];
  const lines = Array.from({ length: count }, (_, index) => {
    const make = makers[index % makers.length] ?? makers[0];
    if (make === undefined) throw new Error("there is no platform");
    return make(index);
  });
  const owned = parts.move();
  return {
    telegram,
    slack,
    discord,
    chats: lines.map((line, index) => benchChat(line, index)),
    people: lines.map(({ surface, person }) => ({ surface, id: person })),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

export function noMoreFaults({ telegram, slack, discord }: Platforms): void {
  telegram.faults.none();
  slack.faults.none();
  discord.faults.clear();
}

function benchChat(line: Line, index: number): BenchChat {
  const said = new Map<number, string>();
  const { surface, chat } = line;
  return {
    index,
    surface,
    ask: () => void said.set(said.size, line.say(question(index, said.size))),
    seen: () => ({ index, surface, chat, said: new Map(said), shown: line.shown() }),
  };
}

/** Every other chat of a platform is in a group. */
const isShared = (index: number): boolean => Math.floor(index / 3) % 2 === 1;

function telegramChat(fake: FakeTelegram, count: number): (index: number) => Line {
  const topics = Array.from({ length: count }, (_, index) => 10 + index);
  const group = forum(-1_001_000_000_001, "Lab", topics);
  fake.open(group);
  return (index) => {
    const person = { id: 1000 + index, name: `Person ${index}` };
    const isTopic = isShared(index);
    const thread = 10 + index;
    const chat = isTopic ? group : direct(person);
    const name = `@${fake.bot.username} `;
    return {
      surface: "telegram",
      chat: isTopic ? `${chat.id}/${thread}` : String(chat.id),
      person: String(person.id),
      say: (text) =>
        String(fake.say(chat, person, isTopic ? name + text : text, isTopic ? { thread } : {}).messageId),
      shown: () =>
        fake.shown(chat).flatMap((message) => {
          if (isTopic && message.thread !== thread) return [];
          return [{ id: String(message.messageId), text: message.text }];
        }),
    };
  };
}

function slackChat(fake: FakeSlack): (index: number) => Line {
  return (index) => {
    const person = `U1${index}`;
    const isThread = isShared(index);
    const channel = isThread ? "C0LAB" : `D1${index}`;
    // Somebody else has begun the thread.
    const thread = isThread ? fake.say(channel, "U9STRANGER", "A thread of its own") : undefined;
    return {
      surface: "slack",
      chat: thread === undefined ? channel : `${channel}/${thread}`,
      person,
      say: (text) =>
        thread === undefined
          ? fake.say(channel, person, text)
          : fake.say(channel, person, `<@${fake.bot}> ${text}`, { thread }),
      shown: () =>
        fake
          .shown(channel)
          .filter((message) => message.isBot && message.thread === thread)
          .map(({ ts, text }) => ({ id: ts, text })),
    };
  };
}

function discordChat(fake: FakeDiscord): (index: number) => Line {
  const parent = fake.channel("lab");
  return (index) => {
    const person = fake.person(`Person${index}`);
    const isThread = isShared(index);
    const chat = isThread ? fake.thread(parent, `thread-${index}`) : fake.direct(person);
    return {
      surface: "discord",
      chat,
      person: person.id,
      say: (text) => fake.say(chat, person, isThread ? `<@${fake.bot.id}> ${text}` : text),
      shown: () =>
        fake
          .shown(chat)
          .filter(({ from }) => from === fake.bot.username)
          .map(({ id, text }) => ({ id, text })),
    };
  };
}
