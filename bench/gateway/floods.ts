import { type Platform, platforms as surfaces } from "../../src/core/gateway/chat.ts";
import type { Random } from "../random.ts";
import type { BenchChat, Platforms } from "./chats.ts";
import { newChatHome } from "./home.ts";
import { shuffled } from "./shuffled.ts";
import { type Verdict, countOf } from "./verdict.ts";
import { marksIn } from "./words.ts";

export type FloodSize = {
  /** On each platform. */
  readonly updates: number;
  readonly chats: number;
};

export type FloodReport = {
  readonly figures: object;
  readonly faults: readonly string[];
};

/** Of all updates, so many tell of a message for the first time. */
const fresh = 0.4;

/** All platforms deliver at once, everything in any order and most of it more than once. */
export async function flooded(
  { updates, chats }: FloodSize,
  random: Random,
  log: (line: string) => void,
): Promise<FloodReport> {
  await using home = await newChatHome(surfaces.length * chats);
  const host = await home.start();
  await host.connected;
  // The bot has heard of every chat before.
  home.askAll();
  await home.quiet();
  const messages = Math.round(updates * fresh);
  await Promise.all(
    surfaces.map((surface) => {
      const own = home.platforms.chats.filter((chat) => chat.surface === surface);
      return floods[surface](home.platforms, { chats: own, messages, copies: updates - messages, random });
    }),
  );
  log(`${surfaces.length} × ${updates} updates, ${messages} of them of new messages`);
  await home.quiet();
  await host.end();
  const verdict = home.verdict();
  const seen = home.platforms.chats.map((chat) => chat.seen());
  const unsorted = seen.flatMap(({ shown }) => shown).filter(({ text }) => !isSorted(text));
  return {
    figures: figuresOf(updates, verdict),
    faults: [
      // What comes late, after its successors were answered, is answered after them.
      ...verdict.broken.filter((line) => !line.startsWith("order:")),
      ...unsorted.map(({ text }) => `order: what came together was put together as ${text.slice(0, 200)}`),
    ],
  };
}

type Flood = {
  readonly chats: readonly BenchChat[];
  readonly messages: number;
  readonly copies: number;
  readonly random: Random;
};

const mostUpdates = 100;

const floods: Readonly<Record<Platform, (platforms: Platforms, flood: Flood) => Promise<void>>> = {
  /** An answer has 100 updates at the most, and none that is newer than one that was never in an answer. */
  async telegram({ telegram }, { messages, copies, ...flood }) {
    const answers = Math.ceil((messages + copies) / mostUpdates);
    telegram.faults.disorder((updates) => shuffled(updates, flood.random));
    for (let left = answers; left > 0; left -= 1) {
      ask({ ...flood, messages: messages / answers });
      const waiting = telegram.unconfirmed();
      for (let more = copies / answers; more > 0; more -= 1) telegram.again(flood.random.pick(waiting));
      await telegram.until(() => telegram.unconfirmed().length === 0);
    }
  },
  async slack({ slack }, { copies, random, ...flood }) {
    slack.sockets.pause();
    ask({ ...flood, random });
    slack.sockets.resume((kept) => withCopies(kept, copies, random));
  },
  async discord({ discord }, { copies, random, ...flood }) {
    discord.gateway.lose(flood.messages, "silently");
    const before = new Map(flood.chats.map((chat) => [chat, new Set(chat.seen().said.values())]));
    ask({ ...flood, random });
    const told = flood.chats.flatMap((chat) => {
      const { said, chat: channel } = chat.seen();
      return [...said.values()].filter((id) => !before.get(chat)?.has(id)).map((id) => ({ channel, id }));
    });
    for (const { channel, id } of withCopies(told, copies, random)) discord.deliver(channel, [id]);
  },
};

function ask({ chats, messages }: Omit<Flood, "copies">): void {
  for (let at = 0; at < messages; at += 1) chats[at % chats.length]?.ask();
}

const withCopies = <T>(values: readonly T[], copies: number, random: Random): readonly T[] =>
  shuffled([...values, ...Array.from({ length: copies }, () => random.pick(values))], random);

const isSorted = (text: string): boolean =>
  marksIn(text).every(({ number }, at, all) => at === 0 || number >= (all[at - 1]?.number ?? 0));

const figuresOf = (updates: number, { messages, answered, broken }: Verdict): object => ({
  updatesPerPlatform: updates,
  messages,
  answered,
  lost: countOf({ broken }, "lost"),
  doubled: countOf({ broken }, "doubled"),
  misplaced: countOf({ broken }, "misplaced"),
});
