import type { FollowedEvent, LoggedEvent } from "../../core/event-log.ts";
import type { ChatNews, GatewayBehind } from "../../core/gateway/gateway.ts";
import { type Platform, isPlatform } from "../../core/gateway/chat.ts";
import type { ChatKey } from "../../core/gateway/tables.ts";
import type { Origin } from "../../core/work/work.ts";
import { type Clock, timeLimit } from "../../lib/clock.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";
import { type ChatParts, houseOf, say } from "./bot-parts.ts";
import { ownersChat } from "./owners-chat.ts";
import { decisionOf } from "../../core/ledger.ts";
import { approvalClosed, closeQuestion, showApproval } from "./questions.ts";
import { quietUntil } from "./quiet-hours.ts";

type Parts = ChatParts & {
  readonly accountOf: (surface: Platform) => string | undefined;
};

/** Somebody at a terminal has so long to answer before the owner is asked in a chat as well. */
const headStartMs = 20_000;
const lookAgainMs = 60_000;

/** What the owner hears in their chat although they did not ask there: what waits for them, and what became of work. */
export type Notices = { stop(): void; settled(): Promise<void> };

export function notices(parts: Parts): Notices {
  const over = new AbortController();
  const { signal } = over;
  let nudge = Promise.withResolvers<void>();
  const forget = parts.gateway.news.onNews(() => nudge.resolve());
  const telling = (async () => {
    while (!signal.aborted) {
      await tellNews(parts).catch((error: unknown) => parts.log(`news for the owner: ${String(error)}`));
      using late = timeLimit(parts.clock, lookAgainMs);
      await Promise.race([nudge.promise, aborted(AbortSignal.any([late.signal, signal]))]);
      nudge = Promise.withResolvers();
    }
  })();
  const asking = followAll(parts, signal).catch(
    (error: unknown) => void (signal.aborted || parts.log(`questions for the owner: ${String(error)}`)),
  );
  return {
    stop() {
      forget();
      over.abort(noLongerNeeded);
      nudge.resolve();
    },
    settled: async () => void (await Promise.allSettled([telling, asking])),
  };
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });

const levels: Readonly<Record<GatewayBehind["settings"]["notices"], readonly ChatNews["level"][]>> = {
  needs: ["needs"],
  results: ["needs", "results"],
  all: ["needs", "results"],
};

async function tellNews(parts: Parts): Promise<void> {
  const { gateway, clock } = parts;
  const { settings, news } = gateway;
  for (const each of await news.untold()) {
    // What somebody has asked to be told in a chat is told there, whatever else is.
    const isWanted = each.target !== "local" || levels[settings.notices].includes(each.level);
    const to = isWanted ? await chatFor(parts, each) : undefined;
    if (to === undefined) continue;
    const until = quietUntil(settings, clock.now());
    const [about] = each.outcomes;
    await news.tell(each, {
      ...to,
      body: { kind: "answer", markdown: each.text },
      ...(about === undefined ? {} : { about }),
      ...(until === undefined ? {} : { until }),
    });
  }
}

async function chatFor(parts: Parts, { target }: ChatNews): Promise<ChatKey | undefined> {
  const [surface = "", chat = ""] = target.split(/:(.*)/s);
  if (!isPlatform(surface)) return ownersChat(parts);
  const account = parts.accountOf(surface);
  return account === undefined ? undefined : { surface, account, chat };
}

/** Questions of turns that no chat has (of a terminal whose person has left, of a card, of an editor), and work that begins. */
async function followAll(parts: Parts, signal: AbortSignal): Promise<void> {
  const events = houseOf(parts).call("events.follow", { of: "all" }, signal) as AsyncIterable<FollowedEvent>;
  for await (const event of events) {
    if (event.type === "started" && parts.gateway.settings.notices === "all")
      await tellBegun(parts, event).catch((error: unknown) => parts.log(`news of work: ${String(error)}`));
    if (event.type !== "approval" || !("cursor" in event)) continue;
    const { id, decision } = event.approval;
    if (decision !== undefined) {
      await settleAsked(parts, id, signal);
      continue;
    }
    void askLater(parts, id, parts.clock, signal).catch((error: unknown) => {
      if (!signal.aborted) parts.log(`${id}: ${String(error)}`);
    });
  }
}

const begins: ReadonlySet<Origin> = new Set(["schedule", "card", "batch", "webhook"]);

/** For whoever wants to hear all. What was begun while no chat app was open is told by what came of it. */
async function tellBegun(
  parts: Parts,
  { session, turn }: Pick<LoggedEvent, "session" | "turn">,
): Promise<void> {
  const house = houseOf(parts);
  const begun = (await house.call("sessions.turns", { session, last: 1 })).find(({ id }) => id === turn);
  if (begun === undefined) return;
  const { work } = await house.call("inputs.get", { inbox: begun.inbox });
  const to = work !== undefined && begins.has(work.origin) ? await ownersChat(parts) : undefined;
  if (to === undefined) return;
  const { what } = await house.call("why.explain", { id: begun.inbox });
  const until = quietUntil(parts.gateway.settings, parts.clock.now());
  await say(parts, to, `Begun: ${what}`, until === undefined ? {} : { until });
}

/** Decided somewhere: its message in the owner's chat says so. */
async function settleAsked(parts: Parts, id: string, signal: AbortSignal): Promise<void> {
  const stored = await houseOf(parts).call("approvals.get", { id });
  const decision = decisionOf(stored);
  const words = decision === undefined ? undefined : approvalClosed({ decision });
  if (words !== undefined) await closeQuestion(parts, id, words, signal);
}

async function askLater(parts: Parts, id: string, clock: Clock, signal: AbortSignal): Promise<void> {
  await clock.sleep(headStartMs, signal);
  const stored = await houseOf(parts).call("approvals.get", { id });
  if (stored.state !== "pending") return;
  const to = await ownersChat(parts);
  if (to !== undefined) await showApproval(parts, { to, room: "direct" }, stored);
}
