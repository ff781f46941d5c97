import { basename } from "node:path";
import { newId } from "../../core/ids.ts";
import { type Revision, learnedFileName } from "../../core/learning.ts";
import type { Clock } from "../../lib/clock.ts";
import type { HeldFile } from "../../lib/guarded-file/guarded-file.ts";
import type { RevisionTable } from "../../store/schema/learning-tables.ts";
import { hasHappened } from "./undo.ts";

export type RevisionDeps = {
  readonly revisions: RevisionTable;
  readonly clock: Clock;
  readonly log: (line: string) => void;
};

/** When it took effect. */
export const activeSince = ({ at, decidedAt }: Revision): number => decidedAt ?? at;

/** A time later than that of every revision of the file, so that sorting by time gives their order. */
export async function nextTime(
  { revisions, clock }: Pick<RevisionDeps, "revisions" | "clock">,
  file: string,
): Promise<number> {
  const last = await revisions.latest(file);
  return Math.max(clock.now(), last === undefined ? 0 : activeSince(last) + 1);
}

/** Settles rows that a crashed writer left in `writing`. The caller holds the lock. */
export async function settleLeftovers(books: RevisionDeps, file: string, held: HeldFile): Promise<void> {
  const { revisions, clock, log } = books;
  const left = await revisions.list({ file, states: ["writing"], limit: 100 });
  for (const row of left.toReversed()) {
    const happened = hasHappened(row, (await held.look())?.text);
    log(`${row.id} of ${file} was left by a crash: ${happened ? "it happened" : "it did not happen"}`);
    const active = { state: "active", at: await nextTime(books, file) } as const;
    const why = "Talaria ended before it was written.";
    const notDone = { state: stateIfNotWritten(row), at: clock.now(), why } as const;
    await revisions.settle(row.id, "writing", happened ? active : notDone);
  }
}

/** A proposal that was being applied waits for a person again. */
const stateIfNotWritten = (row: Revision): "failed" | "proposed" =>
  row.decidedBy !== undefined && row.reverts === undefined ? "proposed" : "failed";

/** A file that is not as the last revision left it was changed by a person: that is a revision, too. */
export async function recordHandEdit(
  books: RevisionDeps,
  file: string,
  kind: Revision["kind"],
  now: string | undefined,
): Promise<void> {
  const { revisions, clock } = books;
  const last = await revisions.latest(file);
  if (last?.after === now || (last !== undefined && isForgotten(last))) return;
  await revisions.add({
    id: newId("rev", clock.now()),
    at: await nextTime(books, file),
    kind,
    file,
    by: "person",
    evidence: [],
    trusted: true,
    summary: `${basename(learnedFileName(file))}: changed by hand`,
    change: null,
    state: "active",
    ...(last?.after === undefined ? {} : { before: last.after }),
    ...(now === undefined ? {} : { after: now }),
  });
}

const isForgotten = ({ change, before, after, summary }: Revision): boolean =>
  change === null && before === undefined && after === undefined && summary === "(forgotten)";
