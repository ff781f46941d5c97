import type { CardRun } from "../../core/cards/cards.ts";
import { cardsOf } from "../cards/cards.ts";
import type { Command } from "../cards/command.ts";
import { checkWords } from "./card-words.ts";
import { itemsOf } from "./done-items.ts";
import { endAttempt } from "./end-attempt.ts";
import { type Attempt, type CardRunDeps, attemptOf } from "./parts.ts";
import { commandOf } from "./say.ts";
import { type Verdict, verdictIn } from "./verdict.ts";

/**
 * An attempt whose host is gone, or is not heard of any more. What its worker has said still counts: it was cut off after
 * that. Before anybody else can have the card, nothing is left of what it had started.
 */
export async function takeBack(deps: CardRunDeps, run: CardRun, isOverdue: boolean): Promise<void> {
  const { store, clock, log } = deps;
  const { owner } = run;
  if (owner === undefined) return;
  const gone = deps.isGone(owner);
  if (!gone && !isOverdue) return;
  await deps.endLeft(owner);
  const attempt = owner.host === deps.owner.host ? await attemptOf(store, run) : undefined;
  const verdict = attempt && verdictIn(await itemsOf(deps, attempt));
  if (attempt !== undefined && verdict !== undefined) {
    log(`${run.id} had said how it went before its host ended`);
    const concluded = await conclude(deps, attempt, verdict);
    return endAttempt(deps, attempt, "again" in concluded ? concluded.otherwise : concluded);
  }
  const said = await cardsOf(store.cards).apply(
    { is: "dispatcher" },
    run.card,
    { do: "reclaim", gone },
    clock.now(),
  );
  if (said !== undefined && !("no" in said)) log(`${run.id} was taken back: its worker is gone`);
}

/** `otherwise`: what becomes of it when it is not asked again. */
export type Concluded = Command | { readonly again: string; readonly otherwise: Command };

/** What comes of a worker's word: that it is done is for the card's check to say, where it has one. */
export async function conclude(
  deps: CardRunDeps,
  { card, run }: Attempt,
  verdict: Verdict,
): Promise<Concluded> {
  const command = await commandOf(deps.store.cards, verdict, deps.clock.now());
  if ("no" in command) return { do: "hand_in", summary: `${command.message} ${command.next}` };
  const check = card.terms?.check;
  if (command.do === "block" || check === undefined) return command;
  const cwd = deps.workspaces.placeOf(card).path;
  const ran = await deps.check({ command: check, cwd, session: run.session }, deps.closing);
  const { summary } = command;
  if ("refused" in ran)
    return { do: "hand_in", summary, evidence: { check: { command: check, refused: ran.refused } } };
  const { exitCode, output } = ran;
  const evidence = { check: { command: check, exitCode, output: output.slice(-2000) } };
  if (exitCode === 0) return { ...command, evidence };
  return { again: checkWords(check, exitCode, output), otherwise: { do: "hand_in", summary, evidence } };
}
