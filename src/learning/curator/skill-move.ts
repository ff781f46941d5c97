import { lstat, mkdir, rename, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type RevisionId, newId } from "../../core/ids.ts";
import type { Revision } from "../../core/learning.ts";
import { syncFolder } from "../../lib/files/atomic-file.ts";
import type { Clock } from "../../lib/clock.ts";
import type { RevisionTable } from "../../store/schema/learning-tables.ts";
import { nextTime } from "../files/bookkeeping.ts";
import type { LearnedFiles } from "../index.ts";
import { skillFile } from "../skills/skill-names.ts";
import type { MovedSkill } from "./runs.ts";

export type MoveDeps = {
  /** The folder of skills. */
  readonly skills: string;
  readonly revisions: RevisionTable;
  readonly files: Pick<LearnedFiles, "read">;
  readonly clock: Clock;
};

/**
 * Archives a skill whole: its folder is renamed, so nothing of it is copied or lost. Recorded as a revision that removes
 * its SKILL.md. The caller holds the lock of the learned files.
 */
export const putAway = (deps: MoveDeps, moved: MovedSkill, summary: string): Promise<void> =>
  move(deps, { ...moved, summary, away: true });

/** Brings it back. `archived`: the revision that archived it. */
export const bringBack = (
  deps: MoveDeps,
  moved: MovedSkill,
  archived: RevisionId | undefined,
): Promise<void> =>
  move(deps, {
    name: moved.name,
    from: moved.to,
    to: moved.from,
    summary: `${moved.name}: brought back`,
    away: false,
    ...(archived === undefined ? {} : { reverts: archived }),
  });

type Move = MovedSkill & {
  readonly summary: string;
  readonly away: boolean;
  readonly reverts?: RevisionId;
};

async function move(deps: MoveDeps, what: Move): Promise<void> {
  const { skills, revisions, clock } = deps;
  const [source, target] = [join(skills, what.from), join(skills, what.to)];
  const row = await rowOf(deps, what);
  await revisions.add(row);
  try {
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    if (await exists(target)) throw new Error(`there is something at ${target} already`);
    await rename(source, target);
  } catch (error) {
    await revisions.settle(row.id, "writing", { state: "failed", at: clock.now(), why: String(error) });
    throw error;
  }
  for (const folder of [dirname(target), dirname(source)]) await syncFolder(folder);
  // A category folder that is empty now goes, too.
  if (dirname(what.from) !== ".") await rmdir(dirname(source)).catch(() => {});
  await revisions.settle(row.id, "writing", { state: "active", at: await nextTime(deps, row.file) });
}

/** The row names the file where the skill is used, not where it is archived. */
async function rowOf({ files, clock }: MoveDeps, what: Move): Promise<Revision> {
  const { name, from, to, summary, away, reverts } = what;
  const text = await files.read(`skills/${from}/${skillFile}`);
  const at = clock.now();
  return {
    id: newId("rev", at),
    at,
    kind: "skill",
    file: `skills/${away ? from : to}/${skillFile}`,
    by: "curator",
    evidence: [],
    trusted: true,
    summary,
    change: { action: away ? "archive" : "restore", skill: name, from, to },
    state: "writing",
    ...(text === undefined ? {} : away ? { before: text } : { after: text }),
    ...(reverts === undefined ? {} : { reverts }),
  };
}

export const exists = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => undefined)) !== undefined;
