import { type BlockKind, blockKinds } from "../../core/cards/cards.ts";
import type { Item } from "../../core/items.ts";
import { isPlainObject } from "../../core/json.ts";

/** What the worker of a card says of it. */
export type Verdict =
  | { readonly do: "complete"; readonly summary: string }
  | {
      readonly do: "block";
      readonly kind: BlockKind;
      readonly reason: string;
      readonly minutes?: number;
      /** The card that it waits for, as the worker has named it. */
      readonly card?: string;
    };

/**
 * The last word of an attempt, read off what is kept of it: it is the same before and after a crash. A call that was refused
 * is none.
 */
export function verdictIn(items: readonly Item[]): Verdict | undefined {
  const last = items.findLast(
    (item) =>
      item.kind === "call" && item.ok && (item.tool === "kanban_complete" || item.tool === "kanban_block"),
  );
  if (last?.kind !== "call" || !isPlainObject(last.args)) return undefined;
  const { summary, kind, reason, minutes, card } = last.args;
  if (last.tool === "kanban_complete")
    return typeof summary === "string" ? { do: "complete", summary } : undefined;
  const known = blockKinds.find((each) => each === kind);
  if (known === undefined || typeof reason !== "string") return undefined;
  return {
    do: "block",
    kind: known,
    reason,
    ...(typeof minutes === "number" ? { minutes } : {}),
    ...(typeof card === "string" ? { card } : {}),
  };
}
