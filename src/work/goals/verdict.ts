import type { Goal, GoalStep } from "../../core/goal.ts";
import type { Limit } from "../../core/spend.ts";
import { counted, short } from "../../core/plain-text.ts";
import { tokensText, usdText } from "../../core/usage.ts";

/** What was found after a turn, before anybody has decided what comes of it. */
export type Finding = Pick<GoalStep, "by" | "verdict" | "text" | "exitCode">;

/** What becomes of a goal: it goes on, or it does not, and why. */
export type Verdict =
  | { readonly state: "active" }
  | { readonly state: "paused" | "done"; readonly why: string };

/** A judge who says the same this often has nothing more to say. */
const mostRepeats = 3;

/** `earlier`: what was found after the turns before, in order. `spent`: since the goal began. */
export function verdictOn(
  { limit }: Pick<Goal, "limit">,
  found: Finding,
  earlier: readonly Finding[],
  spent: Required<Limit>,
): Verdict {
  if (found.verdict === "done") return { state: "done", why: found.text };
  if (found.verdict === "failed") return { state: "paused", why: found.text };
  if (isRepeated(found, earlier))
    return {
      state: "paused",
      why: `The judge said the same ${mostRepeats} times: ${found.text}`,
    };
  const full = usedUp(limit, earlier.length + 1, spent);
  return full === undefined ? { state: "active" } : { state: "paused", why: full };
}

/** A check may fail in the same words while the work goes on; its turns are counted. */
const isRepeated = (found: Finding, earlier: readonly Finding[]): boolean =>
  found.by === "judge" &&
  earlier.length >= mostRepeats - 1 &&
  earlier.slice(1 - mostRepeats).every(({ by, text }) => by === "judge" && gist(text) === gist(found.text));

const gist = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** Why no further turn is begun, if so. */
export function usedUp(limit: Goal["limit"], turns: number, spent: Required<Limit>): string | undefined {
  if (turns >= limit.turns) return `It has had ${counted(turns, "turn")}, which is all that it was given.`;
  if (limit.usd !== undefined && spent.usd >= limit.usd)
    return `It has cost ${usdText(spent.usd)} of its ${usdText(limit.usd)} USD.`;
  if (limit.tokens !== undefined && spent.tokens >= limit.tokens)
    return `It has used ${tokensText(spent.tokens)} of its ${tokensText(limit.tokens)} tokens.`;
  return undefined;
}

/** Said to people before the next turn. */
export const nextText = ({ limit }: Goal, { verdict, text }: Finding, number: number): string =>
  `${verdict === "go_on" ? `Not reached yet: ${short(text, 200)} ` : ""}Going on with the goal, turn ${number} of ${limit.turns}.`;

/** What the next turn is begun with. */
export function continuation({ text, subgoals, check }: Goal, found: Finding): string {
  return [
    `Go on with the goal of this session: ${text}`,
    ...(subgoals.length === 0
      ? []
      : [["On the way to it:", ...subgoals.map((each) => `- ${each}`)].join("\n")]),
    ...(found.verdict === "go_on" ? [missing(found)] : []),
    check === undefined
      ? "What you say about it does not count. It is reached when results show it: run or read whatever proves it, and let that be seen."
      : `It is reached when \`${check.command}\` ends with 0. That is run after this turn.`,
  ].join("\n\n");
}

function missing({ by, text }: Finding): string {
  switch (by) {
    case "check":
      return `The check has failed:\n${text}`;
    case "judge":
      return `What is missing: ${text}`;
    case "turn":
      return `${text} See what of it took effect before you do anything of it again.`;
  }
}
