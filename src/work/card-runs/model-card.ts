import type { WantedCard } from "../../core/cards/card-tools.ts";
import type { CardId, NewCard, Workspace } from "../../core/cards/cards.ts";
import type { CardTable } from "../../store/schema/card-table.ts";
import type { ToolContext } from "../../tools/tool.ts";
import type { No } from "../cards/command.ts";
import { no } from "../cards/steps.ts";
import type { Worker } from "./parts.ts";
import { idOf } from "./say.ts";

/** How many cards models may make in an hour. */
const mostAnHour = 10;
const hourMs = 3_600_000;

type Maker = {
  readonly own: Worker | undefined;
  readonly context: Pick<ToolContext, "from" | "attended">;
  readonly runtime: string;
  readonly now: number;
};

/** A card that a model wants: it has the rights of whoever the turn is for, and begins only with a person's yes. */
export async function wantedCard(
  table: Pick<CardTable, "find" | "madeByModels">,
  { title, body, priority, parents = [], workspace: wanted }: WantedCard,
  { own, context, runtime, now }: Maker,
): Promise<NewCard | No> {
  if (own?.card.terms?.depth === 2)
    return no(
      "may_not",
      "The worker of a card that a worker has made makes no further ones.",
      "Say in your summary what is left.",
    );
  if ((await table.madeByModels(now - hourMs)) >= mostAnHour)
    return no("may_not", `Models have made ${mostAnHour} cards within an hour.`, "Leave it for later.");
  const ids: CardId[] = [];
  for (const each of parents) {
    const id = await idOf(table, each);
    if (typeof id !== "string") return id;
    ids.push(id);
  }
  const workspace = wanted ?? own?.card.workspace ?? "scratch";
  if (!/^(?:scratch|(?:folder|worktree):\/.+)$/s.test(workspace))
    return no("usage", "A workspace is scratch, folder:PATH or worktree:REPO.", "Give a whole path.");
  if (own !== undefined && workspace !== "scratch" && workspace !== own.card.workspace)
    return no("may_not", "A card that a worker makes is done where its own card is.", "Or in scratch.");
  return {
    title,
    workspace: workspace as Workspace,
    runtime: own?.card.runtime ?? runtime,
    parents: ids,
    // Either a person was asked, or they look at it on the board.
    triage: context.attended !== true,
    terms: { by: context.from, depth: own === undefined ? 1 : 2, byModel: true },
    ...(body === undefined ? {} : { body }),
    ...(priority === undefined ? {} : { priority }),
    ...(own === undefined ? {} : { board: own.card.board }),
    ...(own?.card.model === undefined ? {} : { model: own.card.model }),
  };
}
