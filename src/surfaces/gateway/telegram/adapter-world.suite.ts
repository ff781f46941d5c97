import type { TestContext } from "node:test";
import { type FakeClock, fakeClock } from "../../../../test/fakes/fake-clock.ts";
import {
  direct,
  type FakePerson,
  type FakeTelegram,
  startTelegram,
} from "../../../../test/fakes/telegram/telegram.ts";
import type { Address, ChatEvent, ChatMessage, Sending } from "../../../core/gateway/chat.ts";
import { type TelegramAdapter, telegramAdapter, type TelegramDeps } from "./adapter.ts";

export const ann: FakePerson = { id: 7, name: "Ann", username: "ann_here" };
export const ben: FakePerson = { id: 8, name: "Ben" };
export const withAnn = direct(ann);

export type AdapterWorld = {
  readonly telegram: FakeTelegram;
  readonly clock: FakeClock;
  readonly adapter: TelegramAdapter;
  readonly events: ChatEvent[];
  readonly logged: string[];
  /** What is done before an event counts as taken. */
  taking: (event: ChatEvent) => Promise<void>;
  start(): Promise<void>;
  /** Time passes in small steps, and what is under way on the network meanwhile is done, until it is so. Gives the time that it took. */
  passUntil(isSo: () => boolean, stepMs?: number): Promise<number>;
  /** What is under way on the network is done, until it is so; no time passes. */
  until(isSo: () => boolean): Promise<void>;
  /** Time passes, and what is under way is done. */
  pass(ms: number, stepMs?: number): Promise<void>;
};

const longestMs = 3 * 60 * 60_000;

/** The adapter and Telegram on one clock that stands still. */
export async function adapterWorld(
  t: TestContext,
  change: Partial<TelegramDeps> = {},
): Promise<AdapterWorld> {
  const clock = fakeClock();
  const telegram = await startTelegram({ clock });
  const logged: string[] = [];
  const log = (event: string, fields: object = {}): void =>
    void logged.push(`${event} ${JSON.stringify(fields)}`);
  const adapter = telegramAdapter({ token: telegram.token, api: telegram.url, clock, log, ...change });
  t.after(async () => {
    await adapter[Symbol.asyncDispose]();
    await telegram[Symbol.asyncDispose]();
  });
  const events: ChatEvent[] = [];
  const world: AdapterWorld = {
    telegram,
    clock,
    adapter,
    events,
    logged,
    taking: async (event) => void events.push(event),
    async start() {
      await adapter.start((event) => world.taking(event), new Map());
    },
    async until(isSo) {
      while (!isSo()) await networkDone();
    },
    async passUntil(isSo, stepMs = 1_000) {
      const before = clock.monotonic();
      while (!isSo()) {
        if (clock.monotonic() - before > longestMs) throw new Error("It did not come to that within hours.");
        await world.pass(stepMs, stepMs);
      }
      return clock.monotonic() - before;
    },
    async pass(ms, stepMs = 1_000) {
      for (let left = ms; left > 0; left -= stepMs) {
        await clock.advance(Math.min(stepMs, left));
        await networkDone();
      }
    },
  };
  return world;
}

/** Both ends are in this process: what is on its way has arrived after some rounds of its event loop. */
export async function networkDone(): Promise<void> {
  for (let round = 0; round < 30; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

export const messages = (events: readonly ChatEvent[]): readonly ChatMessage[] =>
  events.filter((event) => event.kind === "message");

export const texts = (events: readonly ChatEvent[]): readonly string[] =>
  messages(events).map(({ text }) => text);

export const toAnn: Address = { surface: "telegram", account: "4242", chat: "7" };

export const sendingOf = (adapter: TelegramAdapter, markdown: string): Sending => {
  const [part] = adapter.render(markdown);
  if (part === undefined) throw new Error("There is nothing to send.");
  return { part, nonce: "n1" };
};

export const patient = (): AbortSignal => new AbortController().signal;
