import type { TurnId } from "../../core/ids.ts";
import { type CallItem, type Item, unknownOutcome } from "../../core/items.ts";
import type { Lease } from "../../store/store.ts";
import type { OpenCall } from "../../store/schema/tool-tables.ts";
import { type Progress, commitItem } from "../commit.ts";
import type { AgentDeps } from "../index.ts";

/**
 * Calls that began and never reported an end become items with an unknown outcome, because they may have had their effect.
 * Only under the lease of the turn, when nothing runs in it any longer.
 */
export async function closeOpenCalls(
  deps: AgentDeps,
  lease: Lease,
  turn: TurnId,
  progress: Progress,
): Promise<readonly Item[]> {
  const closed: Item[] = [];
  for (const call of await deps.store.calls.open(turn)) {
    const item = await commitItem(deps, lease, turn, unfinishedCall(call), progress);
    if (item !== undefined) closed.push(item);
  }
  return closed;
}

/** The item of such a call. */
export const unfinishedCall = ({ mayHaveRun, ...head }: OpenCall): CallItem => ({
  ...head,
  kind: "call",
  output: mayHaveRun ? unknownOutcome : neverAllowed,
  ok: false,
});

const neverAllowed =
  "[not run] The turn was cut off while this call waited for permission, so it was not run.";
