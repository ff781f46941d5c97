import type { CardId } from "../../core/cards/cards.ts";
import { short } from "../../core/plain-text.ts";
import type { CardTable } from "../../store/schema/card-table.ts";
import type { Command, No } from "../cards/command.ts";
import type { Verdict } from "./verdict.ts";

const minuteMs = 60_000;

/** What a worker has said, as the board takes it. */
export async function commandOf(
  table: Pick<CardTable, "find">,
  verdict: Verdict,
  now: number,
): Promise<Extract<Command, { readonly do: "complete" | "block" }> | No> {
  if (verdict.do === "complete") return verdict;
  const { kind, reason, minutes, card } = verdict;
  const parent = kind === "dependency" && card !== undefined ? await idOf(table, card) : undefined;
  if (typeof parent === "object") return parent;
  return {
    do: "block",
    kind,
    reason,
    ...(kind === "transient" && minutes !== undefined ? { until: now + minutes * minuteMs } : {}),
    ...(parent === undefined ? {} : { parent }),
  };
}

/** By id or a unique beginning of it, with or without `t_`. */
export async function idOf(table: Pick<CardTable, "find">, typed: string): Promise<CardId | No> {
  const wanted = typed.startsWith("t_") ? typed : `t_${typed}`;
  const [found, ...more] = await table.find(wanted.toLowerCase());
  if (found !== undefined && (more.length === 0 || found.id === wanted)) return found.id;
  return {
    no: "usage",
    message: `${found === undefined ? "No card begins" : "Several cards begin"} with ${short(typed, 40)}.`,
    next: "Give the whole id.",
  };
}
