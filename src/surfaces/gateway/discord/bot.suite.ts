import { fakeClock, type FakeClock } from "../../../../test/fakes/fake-clock.ts";
import { startDiscord, type FakeDiscord } from "../../../../test/fakes/discord/discord.ts";
import type {
  Address,
  Adapter,
  ChatEvent,
  ChatMessage,
  ChatPress,
  Part,
  Sending,
} from "../../../core/gateway/chat.ts";
import { discordAdapter } from "./adapter.ts";

/** A bot of ours on a Discord of this machine. Time stands still until a test moves it. */
export type TestBot = AsyncDisposable & {
  readonly discord: FakeDiscord;
  readonly clock: FakeClock;
  readonly adapter: Adapter;
  readonly events: readonly ChatEvent[];
  readonly log: readonly string[];
  messages(): readonly ChatMessage[];
  presses(): readonly ChatPress[];
  /** The words that were taken, in the order in which they were. */
  words(): readonly string[];
  /** Resolves when so many of a kind were taken in all. */
  heard(count: number, kind?: ChatEvent["kind"]): Promise<void>;
  address(chat: string): Address;
};

export type BotOptions = {
  readonly discord?: FakeDiscord;
  readonly clock?: FakeClock;
  readonly seen?: ReadonlyMap<string, string>;
  /** Called before an event counts as taken; may reject. */
  readonly take?: (event: ChatEvent) => Promise<void>;
  readonly token?: string;
  readonly api?: string;
};

export async function startBot(options: BotOptions = {}): Promise<TestBot> {
  const clock = options.clock ?? fakeClock();
  const discord = options.discord ?? (await startDiscord({ clock }));
  const events: ChatEvent[] = [];
  const log: string[] = [];
  const waiting = new Set<() => void>();
  const adapter = discordAdapter({
    token: options.token ?? discord.token,
    api: options.api ?? discord.api,
    clock,
    log: (line) => log.push(line),
  });
  const bot: TestBot = {
    discord,
    clock,
    adapter,
    events,
    log,
    messages: () => events.filter((event) => event.kind === "message"),
    presses: () => events.filter((event) => event.kind === "press"),
    words: () => bot.messages().map(({ text }) => text),
    heard: (count, kind = "message") =>
      new Promise((resolve) => {
        const look = (): void => {
          if (events.filter((event) => event.kind === kind).length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    address: (chat) => ({ surface: "discord", account: discord.bot.id, chat }),
    async [Symbol.asyncDispose]() {
      await adapter[Symbol.asyncDispose]();
      if (options.discord === undefined) await discord[Symbol.asyncDispose]();
    },
  };
  const take = async (event: ChatEvent): Promise<void> => {
    await options.take?.(event);
    events.push(event);
    for (const look of waiting) look();
  };
  try {
    await adapter.start(take, options.seen ?? new Map());
  } catch (error) {
    await bot[Symbol.asyncDispose]();
    throw error;
  }
  return bot;
}

/** Moves time on until it is settled; what takes real time goes on meanwhile. */
export async function inTime<T>(clock: FakeClock, work: Promise<T>, stepMs: number): Promise<T> {
  const left = { isOver: false };
  const over = (): void => void (left.isOver = true);
  work.then(over, over);
  while (!left.isOver) await clock.advance(stepMs);
  return work;
}

/** A signal that nobody aborts. */
export const always = new AbortController().signal;

let count = 0;
export const sending = (
  text: string,
  more: Omit<Partial<Sending>, "part"> & { readonly part?: Partial<Part> } = {},
): Sending => ({
  nonce: `nonce-${(count += 1)}`,
  ...more,
  part: { body: { content: text }, plain: text, ...more.part },
});
