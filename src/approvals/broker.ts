import { announcer } from "./announcer.ts";
import { answerQuestion } from "./answer.ts";
import { makeAsk } from "./ask.ts";
import type { Broker, BrokerDeps, Shared } from "./broker-types.ts";
import { makeInquire, replyTo } from "./inquiries.ts";
import { processEnded } from "./stale-question.ts";
import { openQuestions } from "./waiting.ts";

export type { AskingTurn, Broker, BrokerDeps } from "./broker-types.ts";

/** One for a process. Several processes of one home meet in the store: the row is what counts. */
export function makeBroker(deps: BrokerDeps): Broker {
  const shared: Shared = { ...deps, waiting: openQuestions(), noticesGiven: new Set() };
  return {
    asking(turn) {
      const announce = announcer(shared, turn);
      return { ask: makeAsk(shared, turn, announce), inquire: makeInquire(shared, turn, announce) };
    },
    answer: (id, choice, by) => answerQuestion(shared, id, choice, by),
    reply: (id, answers, by) => replyTo(shared, id, answers, by),
    reconcile: () => reconcile(shared),
  };
}

async function reconcile({ store, isGone, clock }: Shared): Promise<number> {
  let closed = 0;
  for (const { row, owner } of await store.approvals.waiting()) {
    if (!isGone(owner)) continue;
    if (await store.approvals.resolve(row.id, processEnded(clock.now()))) closed += 1;
  }
  for (const { row, owner } of await store.inquiries.waiting()) {
    if (!isGone(owner)) continue;
    if (await store.inquiries.resolve(row.id, { state: "expired", at: clock.now() })) closed += 1;
  }
  return closed;
}
