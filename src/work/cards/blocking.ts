import { type Block, type Card, cardStands } from "../../core/cards/cards.ts";
import type { CardStep, SeenCard } from "../../store/schema/card-table.ts";
import type { Actor, Command, No } from "./command.ts";
import { asStep, isDone, no, open, without } from "./steps.ts";

type Blocking = Extract<Command, { readonly do: "block" }>;

/** How long a transient block lasts when nobody says until when. */
const pauseMs = 5 * 60_000;

/** Somebody says that it cannot go on. The same word of two attempts in a row is a person's to look at. */
export function blocked(seen: SeenCard, actor: Actor, command: Blocking): CardStep | No {
  const { card } = seen;
  if (card.state === "blocked" || isOver(card))
    return no("state", `${cardStands(card)}.`, "See `kanban show`.");
  if (command.reason.trim() === "") return no("usage", "Say what it is blocked by.", "Add a reason.");
  const said = `${command.kind}: ${folded(command.reason)}`;
  const { evidence } = command;
  const kept = evidence === undefined ? {} : { evidence };
  const ends = { outcome: "blocked" as const, error: command.reason, ...kept };
  const also = {
    detail: `${command.kind}: ${command.reason}`,
    ...(seen.run === undefined ? {} : { ends }),
  };
  const stopped: Card = { ...without(card, "run"), failures: 0, lastBlock: said };
  if (actor.is === "worker" && card.lastBlock === said)
    return asStep(seen, actor, "block", { ...stopped, state: "triage" }, also);
  if (command.kind === "dependency") return waiting(seen, actor, command, stopped, also);
  if (command.parent !== undefined)
    return no("usage", "Only a dependency names a card.", "Leave it out, or say --kind dependency.");
  const block = blockOf(command, seen.now);
  if ("no" in block) return block;
  return asStep(seen, actor, "block", { ...stopped, state: "blocked", block }, also);
}

const isOver = ({ state }: Card): boolean => state === "done" || state === "archived";

/** It goes on by itself when those cards are done, so there must be one. */
function waiting(
  seen: SeenCard,
  actor: Actor,
  { parent }: Blocking,
  stopped: Card,
  also: Partial<CardStep>,
): CardStep | No {
  const { card, other, parents } = seen;
  if (other?.waits === true || parent === card.id)
    return no("cycle", `${parent} waits for ${card.id} itself.`, "Cards cannot wait for each other.");
  const added = other === undefined || parents.some(({ id }) => id === other.card.id) ? [] : [other.card];
  if (open([...parents, ...added]).length === 0)
    return no(
      "usage",
      `${card.id} waits for no card that is not done.`,
      "Name the card that it depends on, or use another kind.",
    );
  if (added.some((each) => each.state === "archived" && !isDone(each)))
    return no("state", `${parent} is archived and was never done.`, "Reopen it first.");
  const linked = added.map(({ id }) => id);
  return asStep(seen, actor, "block", { ...stopped, state: "todo" }, { ...also, linked });
}

function blockOf({ kind, reason, until }: Blocking, now: number): Block | No {
  if (kind === "transient") {
    if (until !== undefined && until <= now)
      return no("usage", "That time has passed.", "Say a time that is to come.");
    return { kind, reason, releaser: "time", until: until ?? now + pauseMs };
  }
  if (until !== undefined)
    return no(
      "usage",
      "Only a transient block is released by time.",
      "Leave the time out, or use --kind transient.",
    );
  return { kind: kind as "needs_input" | "capability", reason, releaser: "person" };
}

/** Numbers and times differ between attempts that are stopped by the same. */
const folded = (reason: string): string =>
  reason.toLowerCase().replaceAll(/\d+/g, "#").replaceAll(/\s+/g, " ").trim();
