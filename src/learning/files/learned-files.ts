import { Refusal } from "../../core/host.ts";
import { type RevisionId, newId } from "../../core/ids.ts";
import { stableJson } from "../../core/json.ts";
import type { Revision } from "../../core/learning.ts";
import type { LearnedChange, LearnedFiles, Redo } from "../index.ts";
import type { RevisionTable } from "../../store/schema/learning-tables.ts";
import { type GuardDeps, type NextText, readLearned, reconcileLearned, writeLearned } from "./guard.ts";
import { withoutRevision } from "./undo.ts";

export type LearnedFilesDeps = GuardDeps & {
  readonly redo: Readonly<Record<Revision["kind"], Redo>>;
};

/** Proposals of a file that are compared with a new one. */
const mostCompared = 50;

/** The files of memory and skills, with a row for every change of them. */
export const learnedFiles = (deps: LearnedFilesDeps): LearnedFiles => ({
  read: (file) => readLearned(deps, file),
  change: (change, how, why) => (how === "propose" ? propose(deps, change, why) : write(deps, change)),
  approve: (id, by) => approve(deps, id, by),
  reject: (id, by, why) => reject(deps, id, by, why),
  revert: (id, by) => revert(deps, id, by),
  reconcile: () => reconcileLearned(deps),
});

async function propose(
  { home, redo, revisions, clock }: LearnedFilesDeps,
  change: LearnedChange,
  why: string | undefined,
): Promise<Revision> {
  const before = await readLearned({ home }, change.file);
  const after = redo[change.kind](change.change, before);
  const known = await askedBefore(revisions, change);
  if (known?.state === "rejected") throw rejectedBefore(known);
  if (known !== undefined) return known;
  const row = rowOf(change, clock.now(), before, after);
  const proposed: Revision = { ...row, state: "proposed", ...(why === undefined ? {} : { why }) };
  await revisions.add(proposed);
  return proposed;
}

/** The same, asked for before. Whoever said no is not asked again by a review, which comes by itself and comes often. */
async function askedBefore(
  revisions: RevisionTable,
  { file, change, from }: LearnedChange,
): Promise<Revision | undefined> {
  const states = ["proposed", ...(from.by === "review" ? (["rejected"] as const) : [])] as const;
  const asked = await revisions.list({ file, states, limit: mostCompared });
  return asked.find((one) => stableJson(one.change) === stableJson(change));
}

const rejectedBefore = ({ id }: Revision): Refusal =>
  new Refusal("refused", `The person was asked this before and said no (${id}).`, "Go on without it.");

const write = (
  deps: LearnedFilesDeps,
  change: LearnedChange,
  next: NextText = (now) => deps.redo[change.kind](change.change, now),
  decidedBy?: string,
): Promise<Revision> =>
  writeLearned(deps, change.file, next, {
    begin: async (before, after) => {
      const row = rowOf(change, deps.clock.now(), before, after);
      const writing: Revision = {
        ...row,
        state: "writing",
        ...(decidedBy === undefined ? {} : { decidedBy }),
      };
      await deps.revisions.add(writing);
      return writing;
    },
    ifNotWritten: "failed",
  });

async function approve(deps: LearnedFilesDeps, id: RevisionId, by: string): Promise<Revision> {
  const { revisions, redo, clock } = deps;
  const { file, kind, change } = await revisionById(revisions, id, "proposed");
  return writeLearned(deps, file, (now) => redo[kind](change, now), {
    begin: async (before, after) => {
      const texts = { before: before ?? null, after: after ?? null };
      const isOurs = await revisions.settle(id, "proposed", {
        state: "writing",
        at: clock.now(),
        by,
        ...texts,
      });
      const row = await revisionById(revisions, id);
      if (!isOurs) throw alreadyDecided(row);
      return row;
    },
    ifNotWritten: "proposed",
  });
}

async function reject(
  { revisions, clock }: LearnedFilesDeps,
  id: RevisionId,
  by: string,
  why: string | undefined,
): Promise<Revision> {
  const how = { state: "rejected", at: clock.now(), by, ...(why === undefined ? {} : { why }) } as const;
  const isDone = await revisions.settle(id, "proposed", how);
  const row = await revisionById(revisions, id);
  if (!isDone) throw alreadyDecided(row);
  return row;
}

async function revert(deps: LearnedFilesDeps, id: RevisionId, by: string): Promise<Revision> {
  const done = await revisionById(deps.revisions, id, "active");
  const { kind, file, summary } = done;
  const change: LearnedChange = {
    kind,
    file,
    summary: `taken back: ${summary}`,
    change: { revert: id },
    from: { by: "person", evidence: [], trusted: true },
    reverts: id,
  };
  return write(deps, change, (now) => withoutRevision(done, now), by);
}

const rowOf = (
  { from, kind, file, summary, change, reverts }: LearnedChange,
  at: number,
  before: string | undefined,
  after: string | undefined,
): Omit<Revision, "state"> => ({
  ...from,
  id: newId("rev", at),
  at,
  kind,
  file,
  summary,
  change,
  ...(reverts === undefined ? {} : { reverts }),
  ...(before === undefined ? {} : { before }),
  ...(after === undefined ? {} : { after }),
});

async function revisionById(
  revisions: RevisionTable,
  id: RevisionId,
  state?: Revision["state"],
): Promise<Revision> {
  const found = (await revisions.find(id)).find((one) => one.id === id);
  if (found === undefined)
    throw new Refusal("not_found", `There is no revision ${id}.`, "`talaria learned` lists them.");
  if (state !== undefined && found.state !== state) throw alreadyDecided(found);
  return found;
}

const alreadyDecided = ({ id, state }: Revision): Refusal =>
  new Refusal("usage", `${id} is ${stateWords[state]}.`, `\`talaria learned show ${id}\` says more.`);

const stateWords: Readonly<Record<Revision["state"], string>> = {
  writing: "being written just now",
  active: "active: it has happened",
  proposed: "only proposed: it has not happened",
  rejected: "rejected: it has not happened",
  failed: "one that did not happen",
};
