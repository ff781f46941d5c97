import type { CardDetails, CardRun } from "../../core/cards/cards.ts";
import { oneLine, short } from "../../core/plain-text.ts";
import type { Place } from "./workspaces.ts";

/** A card as a model reads it. */
export function cardWords({ id, title, state, body, parents, comments, runs }: CardDetails): string {
  const earlier = runs.filter(({ endedAt }) => endedAt !== undefined);
  return [
    `${id}: ${title} (${state})`,
    ...(body === undefined ? [] : [body]),
    ...list(
      "What came before it",
      parents.map((each) => `${each.id} ${each.state}: ${each.title}`),
    ),
    ...list("Earlier attempts", earlier.map(runWords)),
    ...list(
      "Comments",
      comments.map(({ by, text }) => `${by}: ${short(text, 2000)}`),
    ),
  ].join("\n\n");
}

const runWords = ({ id, outcome, summary, error = "" }: CardRun): string =>
  `${id}: ${outcome} ${short(oneLine(summary ?? error), 1000)}`.trim();

const list = (heading: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [`${heading}:\n${lines.map((line) => `- ${line}`).join("\n")}`];

/** What the session of an attempt begins with. `handoffs`: what those did that it waited for. */
export const firstWords = (card: CardDetails, place: Place, handoffs: readonly string[]): string =>
  [
    `[card ${card.id}]
You work on one card of a board, by yourself: nobody follows this conversation and no question in it is answered. Where something is unclear, take the most sensible reading and say which.
${placeWords[place.kind](place)}
When it is done and you have looked that it is, call kanban_complete with a summary that can stand alone: what was done, what shows it, what is left. When it cannot go on, call kanban_block and say why. One of the two is your last call: end your turn after it. A comment at the card (kanban_comment) is for what later attempts have to know.`,
    `The card:\n\n${cardWords(card)}`,
    ...list("What was handed on", handoffs),
  ].join("\n\n");

const placeWords: Readonly<Record<Place["kind"], (place: Place) => string>> = {
  scratch: ({ path }) =>
    `Your folder is ${path}; it is for this card alone, and earlier attempts may have left something in it.`,
  folder: ({ path }) => `Your folder is ${path}. It is the person's own: change only what the card is about.`,
  worktree: ({ path, branch = "" }) =>
    `Your folder is ${path}, a git worktree on the branch ${branch}. Do not commit: what you leave there is committed to that branch for you when your turn has ended.`,
};

export const noVerdictWords =
  "Your turn has ended without a word on the card. If it is done, call kanban_complete with a summary now; if not, call kanban_block and say what stops it. Do not begin anything else.";

export const checkWords = (command: string, exitCode: number, output: string): string =>
  `You said that the card is done, but its check says no:\n\n$ ${command}\n[exit ${exitCode}]\n${output.slice(-4000)}\n\nGo on until it passes, then call kanban_complete again; or call kanban_block and say why it cannot.`;
