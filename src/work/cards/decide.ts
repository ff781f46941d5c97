import {
  type Card,
  type CardId,
  type CardState,
  type LinkedCard,
  cardStands,
} from "../../core/cards/cards.ts";
import type { CardStep, SeenCard } from "../../store/schema/card-table.ts";
import { blocked } from "./blocking.ts";
import { claimed, failed, handedIn, heartbeat, reclaimed, released } from "./claiming.ts";
import { type Actor, type Command, type No, mayDo } from "./command.ts";
import { asStep, isDone, no, open, readyOrTodo, without } from "./steps.ts";

/**
 * What becomes of a card when somebody wants something of it: pure, so that the store can ask while nobody else can change
 * the board. The rules that must hold whatever is decided here are in the database (src/store/sqlite/card-schema.ts).
 */
export function decide(seen: SeenCard, actor: Actor, command: Command): CardStep | No {
  const { card } = seen;
  if (!mayDo[command.do].some((mover) => mover === actor.is))
    return no("may_not", `${command.do} is not for ${theActor[actor.is]}.`, "Ask the owner of this Talaria.");
  if (actor.is === "worker" && actor.run !== card.run)
    return no(
      "stale",
      `${actor.run} is no longer the attempt at ${card.id}: nothing of it was written.`,
      "Stop. Somebody else has the card.",
    );
  switch (command.do) {
    case "comment":
      return command.text.trim() === ""
        ? no("usage", "A comment needs words.", "Say what it is about.")
        : asStep(seen, actor, "comment", card, { comment: command.text });
    case "link":
      return link(seen, actor);
    case "unlink":
      return unlink(seen, actor, command.parent);
    case "ready":
      return ready(seen, actor);
    case "unblock":
      return unblock(seen, actor);
    case "archive":
      return archive(seen, actor);
    case "reopen":
      return reopen(seen, actor);
    case "block":
      return blocked(seen, actor, command);
    case "complete":
      return complete(seen, actor, command);
    case "hand_in":
      return handedIn(seen, actor, command);
    case "fail":
      return failed(seen, actor, command);
    case "release":
      return released(seen, actor, command);
    case "claim":
      return claimed(seen, actor, command);
    case "heartbeat":
      return heartbeat(seen, actor, command);
    case "reclaim":
      return reclaimed(seen, actor, command);
  }
}

const theActor = {
  person: "a person",
  orchestrator: "a session that hands out work",
  worker: "the worker of a card",
  dispatcher: "whoever hands out cards",
  time: "the clock",
} as const;

/** The card is to wait for the other one. */
function link(seen: SeenCard, actor: Actor): CardStep | No {
  const { card, other, parents } = seen;
  if (other === undefined) return no("usage", "There is no such card on this board.", "See `kanban list`.");
  if (other.waits || other.card.id === card.id)
    return no(
      "cycle",
      `${other.card.id} waits for ${card.id} itself.`,
      "Cards cannot wait for each other: take one link away first.",
    );
  if (isOneOf(card.state, "running", "done", "archived"))
    return no("state", `${cardStands(card)}: it waits for nothing any more.`, "Reopen it first.");
  if (other.card.state === "archived" && !isDone(other.card))
    return no("state", `${other.card.id} is archived and was never done.`, "Reopen it first.");
  if (parents.some(({ id }) => id === other.card.id))
    return no("state", `${card.id} waits for ${other.card.id} already.`, "There is nothing to do.");
  const next = card.state === "ready" && !isDone(other.card) ? { ...card, state: "todo" as const } : card;
  return asStep(seen, actor, "link", next, {
    mover: "parents",
    linked: [other.card.id],
    detail: `waits for ${other.card.id}`,
  });
}

function unlink(seen: SeenCard, actor: Actor, parent: CardId): CardStep | No {
  const { card, parents } = seen;
  if (!parents.some(({ id }) => id === parent))
    return no("state", `${card.id} does not wait for ${parent}.`, "See `kanban show`.");
  const left = { ...seen, parents: parents.filter(({ id }) => id !== parent) };
  const next = card.state === "todo" ? { ...card, state: readyOrTodo(left) } : card;
  return asStep(seen, actor, "unlink", next, {
    mover: "parents",
    unlinked: [parent],
    detail: `no longer waits for ${parent}`,
  });
}

/** A person has looked at it. */
function ready(seen: SeenCard, actor: Actor): CardStep | No {
  const { card } = seen;
  if (card.state === "todo") return waits(card, open(seen.parents));
  if (card.state !== "triage")
    return no(
      "state",
      `${cardStands(card)}.`,
      card.state === "blocked" ? "Unblock it instead." : "Only a card in triage is made ready; or reopen it.",
    );
  return asStep(seen, actor, "ready", { ...afresh(card), state: readyOrTodo(seen) });
}

function unblock(seen: SeenCard, actor: Actor): CardStep | No {
  const { card, now } = seen;
  if (card.state === "todo") return waits(card, open(seen.parents));
  if (card.block === undefined) return no("state", `${cardStands(card)}.`, "It is not blocked.");
  const { releaser, until = 0 } = card.block;
  if (actor.is !== "person" && (releaser !== "time" || now < until))
    return no(
      "early",
      `${card.id} is blocked until ${releaser === "time" ? "its time" : "a person lets it go on"}.`,
      "Wait.",
    );
  const freed = without(card, "block");
  const next = actor.is === "person" ? { ...freed, failures: 0 } : freed;
  return asStep(seen, actor, "unblock", { ...next, state: readyOrTodo(seen) });
}

const waits = ({ id }: Card, parents: readonly LinkedCard[]): No =>
  no(
    "waits",
    `${id} waits for ${parents.map((parent) => parent.id).join(", ")}.`,
    "It goes on when all of them are done. Unlink what it need not wait for.",
  );

function archive(seen: SeenCard, actor: Actor): CardStep | No {
  const { card, children } = seen;
  if (card.state === "archived")
    return no("state", `${card.id} is archived already.`, "Reopen brings it back.");
  const waiting = children.filter(({ state }) => state !== "archived" && state !== "done");
  if (!isDone(card) && waiting.length > 0)
    return no(
      "waits",
      `${waiting.map(({ id }) => id).join(", ")} would wait for ${card.id} for ever.`,
      "Unlink or archive those first.",
    );
  const next = without({ ...card, state: "archived" as const }, "block", "run");
  return asStep(seen, actor, "archive", next, takenAway(seen, "archived"));
}

/** It is to be worked on again; a worker that has it loses it. */
function reopen(seen: SeenCard, actor: Actor): CardStep | No {
  const { card, children } = seen;
  if (!isOneOf(card.state, "done", "archived", "review", "running"))
    return no("state", `${cardStands(card)}.`, "It was not closed.");
  const next = without(afresh(card), "run", "doneAt");
  const others = children
    .filter(({ state }) => state === "ready" && isDone(card))
    .map(({ id }) => ({ id, state: "todo" as const }));
  return asStep(
    seen,
    actor,
    "reopen",
    { ...next, state: readyOrTodo(seen) },
    { ...takenAway(seen, "reopened"), others },
  );
}

function complete(
  seen: SeenCard,
  actor: Actor,
  { summary, evidence }: Extract<Command, { readonly do: "complete" }>,
): CardStep | No {
  const { card, children, now } = seen;
  if (isOneOf(card.state, "done", "archived"))
    return no("state", `${cardStands(card)} already.`, "Reopen it first.");
  if (summary.trim() === "") return no("usage", "Say what was done.", "Add a summary.");
  const result = { outcome: "completed" as const, summary, ...(evidence === undefined ? {} : { evidence }) };
  const others = children
    .filter(({ state, openParents }) => state === "todo" && openParents === 1)
    .map(({ id }) => ({ id, state: "ready" as const }));
  const next: Card = {
    ...without(afresh(card), "block", "run"),
    state: "done",
    doneAt: now,
  };
  if (actor.is === "worker")
    return asStep(seen, actor, "complete", next, { ends: result, others, detail: summary });
  // What a person has done is an attempt of its own, which takes no time.
  const epoch = card.epoch + 1;
  const times = { claimedAt: now, heartbeatAt: now, expiresAt: now, endedAt: now };
  const begins = { id: `${card.id}.${epoch}` as const, epoch, ...times, ...result };
  const also = { ...takenAway(seen, "completed by a person"), begins, others, detail: summary };
  return asStep(seen, actor, "complete", { ...next, epoch }, also);
}

/** As if nothing had gone wrong with it. */
const afresh = (card: Card): Card => ({ ...without(card, "lastBlock"), failures: 0 });

const takenAway = ({ run }: SeenCard, error: string): Pick<CardStep, "ends"> =>
  run === undefined ? {} : { ends: { outcome: "reclaimed", error } };

const isOneOf = (state: CardState, ...states: readonly CardState[]): boolean => states.includes(state);
