import { type Card, type CardRun, cardStands } from "../../core/cards/cards.ts";
import type { CardStep, SeenCard } from "../../store/schema/card-table.ts";
import type { Actor, Command, No } from "./command.ts";
import { asStep, no, readyOrTodo, without } from "./steps.ts";

type Of<Do extends Command["do"]> = Extract<Command, { readonly do: Do }>;

/** A new attempt begins with nothing of the one before it: no heartbeat, no expiry. */
export function claimed(seen: SeenCard, actor: Actor, command: Of<"claim">): CardStep | No {
  const { card, now } = seen;
  if (card.state !== "ready")
    return no("state", `${cardStands(card)}.`, "Only a card that is ready can be claimed.");
  const epoch = card.epoch + 1;
  const id = `${card.id}.${epoch}` as const;
  const { owner, session, ttlMs, work } = command;
  const times = { claimedAt: now, heartbeatAt: now, expiresAt: now + ttlMs };
  const begins = { id, epoch, owner, ...times, ...(session === undefined ? {} : { session }) };
  return asStep(
    seen,
    actor,
    "claim",
    { ...card, state: "running", epoch, run: id },
    {
      begins,
      detail: id,
      ...(work === undefined ? {} : { work }),
    },
  );
}

export function heartbeat(seen: SeenCard, actor: Actor, { ttlMs }: Of<"heartbeat">): CardStep {
  const beats = { heartbeatAt: seen.now, expiresAt: seen.now + ttlMs };
  return asStep(seen, actor, "heartbeat", seen.card, { beats });
}

/** What it left behind speaks for itself, and a person looks at it: work that was done is no failure. */
export function handedIn(seen: SeenCard, actor: Actor, { summary, evidence }: Of<"hand_in">): CardStep {
  const ends = {
    outcome: "no_verdict" as const,
    ...(summary === undefined ? {} : { summary }),
    ...(evidence === undefined ? {} : { evidence }),
  };
  const next: Card = { ...without(seen.card, "run"), state: "review", failures: 0 };
  return asStep(seen, actor, "hand_in", next, { ends });
}

export const failed = (seen: SeenCard, actor: Actor, { outcome, error, evidence }: Of<"fail">): CardStep =>
  asStep(seen, actor, "fail", oneFailureMore(seen, error), {
    ends: { outcome, error, ...(evidence === undefined ? {} : { evidence }) },
    detail: `${outcome}: ${error}`,
  });

export const released = (seen: SeenCard, actor: Actor, { reason }: Of<"release">): CardStep =>
  asStep(
    seen,
    actor,
    "release",
    { ...without(seen.card, "run"), state: readyOrTodo(seen) },
    { ends: { outcome: "reclaimed", error: reason }, detail: reason },
  );

/** Only what ran out or is gone. Whoever had it cannot write any more from then on. */
export function reclaimed(seen: SeenCard, actor: Actor, { gone }: Of<"reclaim">): CardStep | No {
  const { card, run, now } = seen;
  if (run === undefined) return no("state", `${cardStands(card)}: nobody has it.`, "There is nothing to do.");
  if (!gone && !isOver(run, now))
    return no("early", `${run.id} has ${card.id}, and is heard of.`, "Wait until its claim runs out.");
  const error = gone ? "its process is gone" : "it was not heard of in time";
  return asStep(seen, actor, "reclaim", oneFailureMore(seen, error), {
    ends: { outcome: gone ? "crashed" : "reclaimed", error },
    detail: `${run.id}: ${error}`,
  });
}

/** A clock that went back makes a claim last no longer than it was to. */
const isOver = ({ heartbeatAt, expiresAt }: CardRun, now: number): boolean =>
  now >= expiresAt || now < 2 * heartbeatAt - expiresAt;

function oneFailureMore(seen: SeenCard, error: string): Card {
  const left = without(seen.card, "run");
  const failures = left.failures + 1;
  if (failures < left.failureLimit) return { ...left, failures, state: readyOrTodo(seen) };
  const reason = `${failures} attempts failed, the last one: ${error}`;
  return { ...left, failures, state: "blocked", block: { kind: "gave_up", reason, releaser: "person" } };
}
