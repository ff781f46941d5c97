import type { CallItem, Item } from "../../core/items.ts";
import { short } from "../../core/plain-text.ts";

/** A result that a judge can point to. What a model has said is none. */
export type Evidence = {
  readonly id: string;
  readonly tool: string;
  readonly did: string;
  readonly ok: boolean;
  readonly exit?: number;
  readonly result: string;
  readonly diff?: string;
};

const mostResults = 40;
const mostCharacters = 800;

/** Of the newest calls of these turns, oldest first. Items are masked when they are kept. */
export const evidenceIn = (turns: readonly (readonly Item[])[]): readonly Evidence[] =>
  turns
    .flat()
    .filter((item) => item.kind === "call")
    .slice(-mostResults)
    .map((call, at) => evidenceOf(call, `e${at + 1}`));

const evidenceOf = ({ tool, args, ok, exitCode, output, diff }: CallItem, id: string): Evidence => ({
  id,
  tool,
  did: short(JSON.stringify(args), mostCharacters / 2),
  ok,
  ...(exitCode === undefined ? {} : { exit: exitCode }),
  result: output.slice(-mostCharacters),
  ...(diff === undefined ? {} : { diff: diff.slice(0, mostCharacters) }),
});
