import { Refusal } from "../../core/host.ts";
import { newId } from "../../core/ids.ts";
import type { StoredInput } from "../../core/session.ts";
import { tokenCount } from "../../core/usage.ts";
import { reserve } from "../budget/allowance.ts";
import type { Command } from "../cards/command.ts";
import type { WorkSource } from "../dispatch/dispatcher.ts";
import { endingOf } from "../ending.ts";
import { notAskedIn } from "../not-asked.ts";
import { workPause } from "../pause.ts";
import { noVerdictWords } from "./card-words.ts";
import { planCards } from "./claims.ts";
import { itemsOf } from "./done-items.ts";
import { endAttempt } from "./end-attempt.ts";
import { holding } from "./holding.ts";
import { type Owed, owing } from "./owed.ts";
import { type Attempt, type CardRunDeps, type Holding, attemptOf } from "./parts.ts";
import { conclude } from "./settling.ts";
import { verdictIn } from "./verdict.ts";

export type CardRuns = WorkSource & {
  /** Puts back what was claimed and cannot be begun any more. */
  release(): Promise<void>;
};

/** Works on cards: each attempt is a session of its own, whose turns are inputs as all others. */
export function cardRuns(deps: CardRunDeps): CardRuns {
  const [held, owed] = [holding(deps), owing(deps)];
  return {
    async plan() {
      const times = [await owed.again(), await planCards(deps, held)].filter((at) => at !== undefined);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    async run(input) {
      try {
        return await runAttempt(deps, { held, owed }, input);
      } catch (error) {
        deps.log(`the card ${input.work?.subject} could not be worked on: ${String(error)}`);
        return "trouble";
      }
    },
    async release() {
      await owed.again();
      for (const run of await deps.store.cards.open()) {
        const attempt = held.has(run.id) ? await attemptOf(deps.store, run) : undefined;
        if (attempt !== undefined) await owed.settle(run.id, () => endAttempt(deps, attempt, ended));
        held.letGo(run.id);
      }
    },
  };
}

const ended = { do: "release", reason: "the host that worked on it was ended" } as const;

type Own = { readonly held: Holding; readonly owed: Owed };

async function runAttempt(
  deps: CardRunDeps,
  { held, owed }: Own,
  input: StoredInput,
): Promise<"done" | "later"> {
  const { store, agent } = deps;
  const attempt = await attemptOf(store, await store.cards.ofSession(input.session));
  if (attempt === undefined) {
    // Somebody else has the card by now, or nobody.
    await store.inbox.move(input.id, "waiting", "kept");
    return "done";
  }
  const { id } = attempt.run;
  if (!held.has(id) || deps.closing.aborted || (await workPause(store)) !== undefined) return "later";
  const finish = async (command: Command): Promise<void> => {
    await store.inbox.move(input.id, "waiting", "kept");
    await endAttempt(deps, attempt, command);
    held.letGo(id);
  };
  const settle = async (step: () => Promise<void>): Promise<"done"> => {
    await owed.settle(id, step);
    return "done";
  };
  const first = kindOf(input) === "begin" ? await whyNot(deps, attempt, input) : undefined;
  if (first !== undefined) return settle(() => finish(first));
  try {
    const sent = await agent.start(input, { budget: await turnLimit(deps, attempt) });
    await sent.ended;
  } catch (error) {
    if (error instanceof Refusal && (error.code === "busy" || error.code === "stopping")) return "later";
    const failed = { do: "fail", outcome: "spawn_failed", error: wordsOf(error) } as const;
    return settle(() => finish(failed));
  }
  return settle(async () => {
    // Its claim was lost: whoever has the card now says what becomes of it.
    if (!held.has(id)) return;
    const next = await afterTurn(deps, attempt, input);
    if ("do" in next) return finish(next);
    // The model was not reached, and the next try reserves anew.
    if (next.kind === "again") await store.workSpend.settle(input.id);
    await store.inbox.admit(following(input, next, deps.clock.now()));
  });
}

/** What keeps it from being begun: no place to work, no way to report, no budget. Nothing was asked of a model then. */
async function whyNot(deps: CardRunDeps, attempt: Attempt, input: StoredInput): Promise<Command | undefined> {
  const { card, run } = attempt;
  try {
    await deps.workspaces.prepare(card, deps.closing);
    const mute = await deps.whyMute(run.session);
    if (mute !== undefined) return cannot(`its worker could not report back: ${mute}`);
  } catch (error) {
    return cannot(wordsOf(error));
  }
  const { tokens = 0, usd = 0 } = deps.settings.run;
  const full = await reserve(deps, { inbox: input.id, origin: "card", subject: card.id, tokens, usd });
  return full === undefined ? undefined : { do: "block", kind: "transient", reason: full };
}

const cannot = (error: string): Command => ({ do: "fail", outcome: "spawn_failed", error });

/** What is left for the attempt: its further turns have no more than its first. */
async function turnLimit({ store, settings }: CardRunDeps, { run }: Attempt) {
  const { tokens, usd } = settings.run;
  const sum = await store.usage.sum({ session: run.session });
  return {
    ...(tokens === undefined ? {} : { tokens: Math.max(1, tokens - tokenCount(sum)) }),
    ...(usd === undefined ? {} : { usd: Math.max(0.000_001, usd - (sum.cost ?? 0)) }),
    workMs: settings.maxMs,
    section: "work",
  };
}

type Next = { readonly kind: "again" | "ask" | "check"; readonly text: string; readonly inMs: number };

/** By what the store has of it. A further turn, or how the attempt ends. */
async function afterTurn(deps: CardRunDeps, attempt: Attempt, given: StoredInput): Promise<Command | Next> {
  const { store, closing } = deps;
  const input = (await store.inbox.get(given.id)) ?? given;
  const turn = input.turn === undefined ? undefined : await store.turns.get(input.turn);
  const items = await itemsOf(deps, attempt);
  const verdict = verdictIn(items);
  if (verdict !== undefined) {
    const concluded = await conclude(deps, attempt, verdict);
    if (!("again" in concluded)) return concluded;
    // Twice, then a person looks at it.
    return checksOf(input) >= 2 ? concluded.otherwise : { kind: "check", text: concluded.again, inMs: 0 };
  }
  if (turn?.state === "interrupted")
    return closing.aborted
      ? ended
      : { do: "block", kind: "needs_input", reason: "it was stopped by a person" };
  const notAsked = await notAskedIn(store, attempt.run.session);
  const ending = endingOf({ input, turn, text: "", hasItems: items.length > 0, notAsked });
  if ("againInMs" in ending) return { kind: "again", text: wordsIn(input), inMs: ending.againInMs };
  const { state, reason = "" } = ending;
  if (state === "refused") return { do: "block", kind: "needs_input", reason };
  if (state === "failed")
    return { do: "fail", outcome: turn?.fault?.code === "quota" ? "timed_out" : "crashed", error: reason };
  if (kindOf(input) === "ask") return { do: "hand_in", summary: lastWords(items) };
  return { kind: "ask", text: noVerdictWords, inMs: 0 };
}

const kindOf = ({ key }: StoredInput): string => key.messageId.split(" ")[1] ?? "";

const checksOf = (input: StoredInput): number =>
  kindOf(input) === "check" ? Number(input.key.messageId.split(" ")[2]) : 0;

const wordsIn = ({ input }: StoredInput): string =>
  input.map((part) => (part.type === "text" ? part.text : "")).join("\n");

const lastWords = (items: Awaited<ReturnType<typeof itemsOf>>): string =>
  items.findLast((item) => item.kind === "text")?.text ?? "";

/** The next input of the attempt. Its name follows from the one before, so that it is there once. */
const following = (input: StoredInput, { kind, text, inMs }: Next, now: number) => {
  const attempt = (input.work?.attempt ?? 1) + 1;
  const number = kind === "check" ? checksOf(input) + 1 : attempt;
  return {
    id: newId("inb", now),
    at: now,
    from: input.from,
    key: { ...input.key, messageId: `${input.session} ${kind === "again" ? kindOf(input) : kind} ${number}` },
    session: input.session,
    input: [{ type: "text" as const, text }],
    work: {
      origin: "card" as const,
      subject: input.work?.subject ?? "",
      dueAt: now + inMs,
      attempt,
      terms: { target: "local" as const },
    },
  };
};

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
