import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { type FakeClock, fakeClock } from "../../../../test/fakes/fake-clock.ts";
import { type FakeSlack, type FakeSlackOptions, startSlack } from "../../../../test/fakes/slack/slack.ts";
import {
  type Address,
  type ChatEvent,
  type ChatMessage,
  type ChatPress,
  chatName,
} from "../../../core/gateway/chat.ts";
import type { Clock } from "../../../lib/clock.ts";
import { type SlackAdapter, type SlackDeps, slackAdapter } from "./adapter.ts";

/** An adapter on a Slack of loopback, with a store that keeps each message once, as the gateway's does. */
export type World = {
  readonly slack: FakeSlack;
  readonly adapter: SlackAdapter;
  readonly clock: FakeClock;
  /** Everything that was handed over, doubles among it. */
  readonly handed: readonly ChatEvent[];
  /** Each message once, in the order in which it came first. */
  messages(): readonly ChatMessage[];
  presses(): readonly ChatPress[];
  texts(): readonly string[];
  /** Resolves when so many messages are stored. */
  stored(count: number): Promise<void>;
  until(isSo: () => boolean): Promise<void>;
  /** What happens when something is handed over; throwing is a store that fails. */
  onTake(work: (event: ChatEvent) => Promise<void> | void): void;
  readonly logged: readonly string[];
  /** A restart of the host: another adapter, with what the store has seen. */
  again(): Promise<SlackAdapter>;
  to(chat: string, thread?: string): Address;
};

export async function slackWorld(
  t: TestContext,
  options: {
    readonly fake?: FakeSlackOptions;
    readonly deps?: Partial<SlackDeps>;
    readonly seen?: ReadonlyMap<string, string>;
    readonly before?: (slack: FakeSlack) => void;
  } = {},
): Promise<World> {
  const clock = fakeClock();
  const slack = await startSlack({ now: () => clock.now(), ackMs: 60_000, ...options.fake });
  t.after(() => slack[Symbol.asyncDispose]());
  options.before?.(slack);
  const [handed, logged] = [[] as ChatEvent[], [] as string[]];
  const stored = new Map<string, ChatMessage>();
  let work: (event: ChatEvent) => Promise<void> | void = nothing;
  let news = Promise.withResolvers<void>();
  const changed = (): void => {
    news.resolve();
    news = Promise.withResolvers<void>();
  };
  const take = async (event: ChatEvent): Promise<void> => {
    handed.push(event);
    changed();
    await work(event);
    if (event.kind === "message" && !stored.has(nameOf(event))) stored.set(nameOf(event), event);
    changed();
  };
  const open = (): SlackAdapter => {
    const made = newAdapter(slack, clock, {
      log: (event, fields) => logged.push(`${event} ${JSON.stringify(fields)}`),
      ...options.deps,
    });
    t.after(() => made[Symbol.asyncDispose]());
    return made;
  };
  const adapter = open();
  await adapter.start(take, options.seen ?? new Map());
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await Promise.race([news.promise, slack.until(isSo)]);
  };
  return {
    slack,
    adapter,
    clock,
    handed,
    logged,
    until,
    messages: () => [...stored.values()],
    presses: () => handed.filter((event) => event.kind === "press"),
    texts: () => [...stored.values()].map(({ text }) => text),
    stored: (count) => until(() => stored.size >= count),
    onTake: (chosen) => void (work = chosen),
    to: (chat, thread) => ({
      surface: "slack",
      account: "T0FAKE-U0BOT",
      chat,
      ...(thread === undefined ? {} : { thread }),
    }),
    async again() {
      const next = open();
      await next.start(take, seenIn(stored));
      return next;
    },
  };
}

export const newAdapter = (slack: FakeSlack, clock: Clock, more: Partial<SlackDeps> = {}): SlackAdapter =>
  slackAdapter({
    botToken: slack.botToken,
    appToken: slack.appToken,
    api: slack.api,
    clock,
    log: () => {},
    ...more,
  });

const nothing = (): void => {};

const nameOf = ({ address, messageId }: ChatMessage): string => `${chatName(address)} ${messageId}`;

function seenIn(stored: ReadonlyMap<string, ChatMessage>): ReadonlyMap<string, string> {
  const seen = new Map<string, string>();
  const inOrder = [...stored.values()].toSorted((one, other) => (one.order < other.order ? -1 : 1));
  for (const { address, messageId } of inOrder) seen.set(chatName(address), messageId);
  return seen;
}

export const never = new AbortController().signal;

/** Each message once, as the platform sorts them within each chat. */
export function assertOnceAndWhole(messages: readonly ChatMessage[], said: readonly string[]): void {
  assert.deepEqual(
    messages.map(({ messageId }) => messageId).toSorted(),
    said.toSorted(),
    "each message is there, and once",
  );
}
