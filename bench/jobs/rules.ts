import type { CardDetails, CardEvent, CardRunId } from "../../src/core/cards/cards.ts";
import type { Word } from "./words.ts";

/** A word that was said, and what came of it. */
export type Said = Word & { readonly fate: string };

/** What does not hold of a card, and of how it got there from what it was: what was said of it meanwhile is known. */
export function broken(before: CardDetails, after: CardDetails, said: readonly Said[]): readonly string[] {
  const events = after.events.slice(before.events.length);
  return [...wrongState(after), ...wrongWay(before, events), ...wrongWriters(before, after, events, said)];
}

export function wrongState(card: CardDetails): readonly string[] {
  const open = card.runs.filter(({ endedAt }) => endedAt === undefined);
  const waits = card.parents.some(({ doneAt }) => doneAt === undefined);
  const rules: readonly (readonly [boolean, string])[] = [
    [open.length === (card.state === "running" ? 1 : 0), `${open.length} open attempts while ${card.state}`],
    [card.run === open[0]?.id, "its attempt is not the open one"],
    [card.runs.length === card.epoch, `${card.runs.length} attempts, but the epoch is ${card.epoch}`],
    [card.runs.every(({ epoch }, at) => epoch === at + 1), "its attempts are not numbered one by one"],
    [!(card.state === "ready" && waits), "ready, although it waits for a card"],
    [(card.state === "blocked") === (card.block !== undefined), "blocked without a block, or the opposite"],
    [
      card.runs.every((run) => run.endedAt === undefined || run.outcome !== undefined),
      "ended without an outcome",
    ],
  ];
  return rules.flatMap(([holds, what]) => (holds ? [] : [`${card.id}: ${what}`]));
}

/** Event by event: who had it, and who let it go on. */
function wrongWay(before: CardDetails, events: readonly CardEvent[]): readonly string[] {
  const faults: string[] = [];
  let run: CardRunId | undefined = before.run;
  let until = before.block?.until;
  for (const event of events) {
    const { what, by, from, to, at, detail } = event;
    const name = `${before.id}: ${what} by ${by}`;
    if (what === "claim" && run !== undefined) faults.push(`${name} while ${run} has it`);
    if (event.run !== undefined && event.run !== run)
      faults.push(`${name} was written late: ${run ?? "nobody"} has it`);
    if (from === "blocked" && to !== "blocked" && what !== "archive") {
      const byTime = by === "time" && (until === undefined || at >= until);
      if (by !== "you" && !byTime) faults.push(`${name} released its block`);
    }
    if (what === "claim") run = detail as CardRunId;
    else if (from === "running" && to !== "running") run = undefined;
    if (to === "blocked" && from !== "blocked") until = undefined;
  }
  return faults;
}

/** What was taken must stand in the name of whoever said it. */
function wrongWriters(
  before: CardDetails,
  after: CardDetails,
  events: readonly CardEvent[],
  said: readonly Said[],
): readonly string[] {
  return said.flatMap(({ actor, command, fate }) => {
    if (fate !== "done") return [];
    if (command.do === "unblock" && (actor.is === "worker" || actor.is === "orchestrator"))
      return [`${before.id}: a ${actor.is} released its block`];
    if (actor.is !== "worker") return [];
    const isWritten =
      command.do === "heartbeat"
        ? after.runs.some(({ id }) => id === actor.run) &&
          (before.run === actor.run || began(events, actor.run))
        : events.some(({ run, what }) => run === actor.run && what === command.do);
    return isWritten ? [] : [`${before.id}: a late ${command.do} of ${actor.run} was taken`];
  });
}

const began = (events: readonly CardEvent[], run: CardRunId): boolean =>
  events.some(({ what, detail }) => what === "claim" && detail === run);
