import type { Adapter, AdapterHealth, BotIdentity, ChatEvent, Platform } from "../../core/gateway/chat.ts";
import type { BotDuty } from "../../core/gateway/gateway.ts";
import { toFailure } from "../../core/failure.ts";
import { Refusal } from "../../core/host.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";
import type { BotParts } from "./bot-parts.ts";
import { type DeliveryParts, delivery, tellAllAmbiguous } from "./deliver.ts";
import { watchHealth } from "./health-watch.ts";
import { inbound } from "./inbound.ts";
import { liveTurns } from "./live-turns.ts";
import { removeStatus } from "./progress.ts";
import { closeOld } from "./questions.ts";

/** One bot that is open, or is being opened. */
export type Bot = AsyncDisposable & {
  readonly surface: Platform;
  /** While it is open. */
  adapter(): Adapter | undefined;
  identity(): BotIdentity | undefined;
  health(): AdapterHealth;
};

export type BotNeeds = Omit<BotParts, "account" | "name" | "adapter"> & {
  readonly surface: Platform;
  readonly token: string;
  readonly makeAdapter: () => Adapter;
};

const firstPauseMs = 5000;
const longestPauseMs = 5 * 60_000;

/** Opens it, again and again until it works: a platform that is down must not keep the host from its other work. */
export function openBot(needs: BotNeeds): Bot {
  const { surface, clock, log } = needs;
  const over = new AbortController();
  const now: Now = {};
  const keepOpen = async (): Promise<void> => {
    for (let pause = firstPauseMs; !over.signal.aborted; pause = Math.min(longestPauseMs, pause * 2)) {
      try {
        await runBot(needs, now, over.signal);
        pause = firstPauseMs;
      } catch (error) {
        const { code, message, next } = toFailure(error);
        now.trouble = { text: `${message} ${next}`, mayPass: passing.has(code) };
        if (!over.signal.aborted) log(`${surface} could not be opened: ${now.trouble.text}`);
      }
      if (!over.signal.aborted) await clock.sleep(pause, over.signal).catch(() => {});
    }
  };
  const running = keepOpen();
  return {
    surface,
    adapter: () => now.adapter,
    identity: () => now.identity,
    health: () => now.adapter?.health() ?? openingHealth(now),
    async [Symbol.asyncDispose]() {
      over.abort(noLongerNeeded);
      await running;
    },
  };
}

/** What holds at the moment. */
type Now = {
  adapter?: Adapter;
  /** One that is being opened. */
  opening?: Adapter;
  identity?: BotIdentity;
  /** Why it could not be opened the last time. */
  trouble?: { readonly text: string; readonly mayPass: boolean };
};

/** Nobody has to do anything about these. */
const passing: ReadonlySet<string> = new Set(["network", "rate_limited", "busy"]);

/** What keeps it is told as soon as it is known: while the first try goes on, the adapter says it. */
function openingHealth({ opening, trouble }: Now): AdapterHealth {
  const detail = opening?.health().detail ?? trouble?.text;
  const state = trouble === undefined || trouble.mayPass ? "starting" : "failed";
  return { state, restarts: 0, ...(detail === undefined ? {} : { detail }) };
}

/** Until it is to end, or another process has the bot. Only one answers as a bot, whatever machine it is on. */
async function runBot(needs: BotNeeds, now: Now, ending: AbortSignal): Promise<void> {
  const { gateway, surface } = needs;
  const duty = await gateway.takeBot(needs.token);
  if ("busy" in duty)
    throw new Refusal("busy", `Another process answers as this bot: ${duty.busy}.`, "It is tried again.");
  await using open = new AsyncDisposableStack();
  open.use(duty);
  const adapter = open.use(needs.makeAdapter());
  now.opening = adapter;
  open.defer(() => {
    delete now.adapter;
    delete now.opening;
  });
  // What comes before all is ready waits.
  const ready = Promise.withResolvers<(event: ChatEvent) => Promise<void>>();
  ready.promise.catch(() => {});
  open.defer(() => ready.reject(new Error("the bot is being closed")));
  const seen = await gateway.received.seen(surface, await lastAccount(needs));
  const identity = await adapter.start(async (event) => (await ready.promise)(event), seen);
  Object.assign(now, { adapter, identity, trouble: undefined });
  const over = AbortSignal.any([ending, duty.lost]);
  await serve({ ...needs, adapter, ...identity }, duty.lease, ready.resolve, over);
}

async function serve(
  parts: BotParts,
  lease: BotDuty["lease"],
  ready: (take: (event: ChatEvent) => Promise<void>) => void,
  over: AbortSignal,
): Promise<void> {
  const { gateway } = parts;
  const turns = liveTurns(parts);
  const desk = inbound({ ...parts, turns });
  const sending: DeliveryParts = { ...parts, outbox: gateway.outbox, lease, alert: gateway.alert };
  const outgoing = delivery(sending);
  using stack = new DisposableStack();
  stack.defer(gateway.onOutbox(outgoing.wake));
  stack.use(watchHealth(parts));
  try {
    await tellAllAmbiguous(sending);
    outgoing.wake();
    await turns.resume();
    await desk.resume();
    ready(desk.take);
    void tidyUp(parts, over);
    await aborted(over);
  } finally {
    desk.stop();
    outgoing.stop();
    await turns.stop();
    await Promise.all([desk.settled(), outgoing.settled()]);
  }
}

/** Under which account this bot was before: what was seen is kept by that. */
async function lastAccount({ gateway, surface: own }: BotNeeds): Promise<string> {
  const chats = await gateway.chats.list(1000);
  return chats.find(({ surface }) => surface === own)?.account ?? "";
}

/** Lines and buttons that a restart has left behind. */
async function tidyUp(parts: BotParts, over: AbortSignal): Promise<void> {
  try {
    await closeOld(parts, over);
    for (const chat of await parts.gateway.chats.withStatus(parts.adapter.surface, parts.account))
      if (chat.status !== undefined) await removeStatus(parts, chat, chat.status);
  } catch (error) {
    if (!over.aborted) parts.log(`what a restart left in chats: ${String(error)}`);
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
