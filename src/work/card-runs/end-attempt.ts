import type { Card, CardRunId } from "../../core/cards/cards.ts";
import { newId } from "../../core/ids.ts";
import { type Json, isPlainObject } from "../../core/json.ts";
import { oneLine, short } from "../../core/plain-text.ts";
import { jsonDigest } from "../../lib/digest.ts";
import type { NewOutcome } from "../../store/schema/work-tables.ts";
import { cardsOf } from "../cards/cards.ts";
import type { Command } from "../cards/command.ts";
import { evidenceIn } from "../goals/evidence.ts";
import { itemsOf } from "./done-items.ts";
import type { Attempt, CardRunDeps } from "./parts.ts";
import { withoutProgress } from "./progress.ts";
import type { Committed } from "./worktree.ts";

/** Results of calls that are kept as evidence. */
const mostResults = 8;

/**
 * The end of an attempt. First nothing is left running of it, then its work is committed; only then is the card let go. Rejects
 * if that cannot be written: then all of it can be done again.
 */
export async function endAttempt(deps: CardRunDeps, attempt: Attempt, command: Command): Promise<void> {
  const { store, agent, clock, log } = deps;
  const { card, run } = attempt;
  await agent.endRunning(run.session);
  await agent.release(run.session);
  const left = await committed(deps, attempt, command);
  const evidence = await evidenceOf(deps, attempt, command, left);
  const ending = ended(attempt, command, left, evidence);
  const said = await cardsOf(store.cards).apply(
    { is: "worker", run: run.id },
    card.id,
    ending,
    clock.now(),
    (next) => newsOf(next, run.id, ending, clock.now()),
  );
  if (said !== undefined && "no" in said) return log(`${run.id}: ${said.message}`);
  for (const { inbox } of await store.sessions.lastTurns(run.session, 50))
    await store.workSpend.settle(inbox);
}

type Left = Committed | { readonly uncommitted: string } | undefined;

/** Also while everything ends: git has its own patience. */
async function committed({ workspaces }: CardRunDeps, attempt: Attempt, command: Command): Promise<Left> {
  const { card, run } = attempt;
  const words = "summary" in command ? (command.summary ?? "") : "";
  const message = `${card.id}: ${short(oneLine(card.title), 60)}\n\n${words}\n\nAttempt ${run.id}`;
  try {
    return await workspaces.commit(card, message, new AbortController().signal);
  } catch (error) {
    return { uncommitted: error instanceof Error ? error.message : String(error) };
  }
}

/** What speaks for it. `mark`: the same for attempts that leave the same behind. */
async function evidenceOf(
  deps: CardRunDeps,
  attempt: Attempt,
  command: Command,
  left: Left,
): Promise<{ readonly [key: string]: Json }> {
  const items = await itemsOf(deps, attempt);
  const calls = evidenceIn([items]).filter(({ tool }) => !tool.startsWith("kanban_"));
  const refused = await deps.store.approvals.list({
    limit: 20,
    session: attempt.run.session,
    state: "refused",
  });
  const given = "evidence" in command && isPlainObject(command.evidence) ? command.evidence : {};
  const done = calls.map(({ tool, did, ok, exit }) => ({
    tool,
    did,
    ok,
    ...(exit === undefined ? {} : { exit }),
  }));
  return {
    ...given,
    ...(left === undefined ? {} : left),
    results: calls.slice(-mostResults).map(({ result, diff, ...call }) => ({
      ...call,
      result: result.slice(-300),
      ...(diff === undefined ? {} : { diff }),
    })),
    ...(refused.length === 0 ? {} : { refused: refused.map(({ question }) => question.summary) }),
    mark: left !== undefined && "tree" in left ? left.tree : jsonDigest(done),
  };
}

/** What could not be committed is not done, whatever the worker says; and what goes round in circles is a person's. */
function ended(
  { card }: Attempt,
  command: Command,
  left: Left,
  evidence: { readonly [key: string]: Json },
): Command {
  if (command.do === "complete" && left !== undefined && "uncommitted" in left)
    return {
      do: "hand_in",
      summary: `${command.summary}\n\nIt could not be committed: ${left.uncommitted}`,
      evidence,
    };
  const isStuck = (command.do === "block" && command.kind === "transient") || command.do === "fail";
  const stuck = isStuck ? withoutProgress(card.runs, evidence["mark"]) : undefined;
  if (stuck !== undefined) return { do: "block", kind: "needs_input", reason: stuck, evidence };
  return command.do === "release" ? command : ({ ...command, evidence } as Command);
}

/** The owner hears once of what is done, and of what waits for a person. */
function newsOf(card: Card, run: CardRunId, command: Command, now: number): NewOutcome | undefined {
  const words = wordsOf(card, command);
  if (words === undefined) return undefined;
  return {
    id: newId("out", now),
    kind: "alert",
    subject: `card ${run}`,
    instant: now,
    state: "ran",
    reason: `The card “${short(oneLine(card.title), 60)}” ${words} (\`talaria kanban show ${card.id}\`)`,
    lateMs: 0,
    at: now,
    settledAt: now,
    target: "local",
    delivery: "pending",
  };
}

function wordsOf({ state, block }: Card, command: Command): string | undefined {
  if (state === "done" && command.do === "complete")
    return `is done: ${short(oneLine(command.summary), 300)}`;
  if (state === "review")
    return "waits for you to look at it: its worker did not say that it is done, or a check said no.";
  if (state === "triage") return "was stopped by the same thing twice, and waits for you in triage.";
  if (state === "blocked" && block?.releaser === "person")
    return `needs you: ${short(oneLine(block.reason), 300)}`;
  return undefined;
}
