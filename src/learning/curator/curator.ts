import { join, relative } from "node:path";
import { Refusal } from "../../core/host.ts";
import type { RevisionId } from "../../core/ids.ts";
import type { ListedSkill } from "../../core/learning.ts";
import { counted } from "../../core/plain-text.ts";
import { dayMs } from "../../core/usage.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Store } from "../../store/store.ts";
import { activeSince } from "../files/bookkeeping.ts";
import type { LearnedFiles } from "../index.ts";
import { type HeadCache, headCache } from "../skills/head-cache.ts";
import { skillsIn } from "../skills/skill-folders.ts";
import { skillFile } from "../skills/skill-names.ts";
import { authorOf } from "../skills/skill-owner.ts";
import type { Skill } from "../skills/skill.ts";
import { type CuratorRuns, type MovedSkill, curatorRuns } from "./runs.ts";
import { type MoveDeps, bringBack, exists, putAway } from "./skill-move.ts";

export type CuratorDeps = {
  readonly store: Pick<Store, "meta" | "revisions" | "learnedUses">;
  readonly files: Pick<LearnedFiles, "read">;
  /** The person's own folder with skills. */
  readonly skills: string;
  readonly pinned: () => Promise<ReadonlySet<string>>;
  readonly settings: Patience & { readonly enabled: boolean; readonly intervalHours: number };
  /** The lock of the learned files: while it is held nobody else writes them, and no other process curates. */
  readonly lock: () => Promise<AsyncDisposable>;
  readonly clock: Clock;
  readonly log: (line: string) => void;
};

/** Archives learned skills that nobody uses. It asks no model and deletes nothing. */
export interface Curator {
  /** Runs if a run is due and nothing else is running. Returns what it archived, one line each. Never rejects. */
  whenDue(isIdle: () => boolean): Promise<readonly string[]>;
  /** Runs now. Returns what it did, or with `dryRun` would do. */
  run(how: { readonly dryRun: boolean }): Promise<readonly string[]>;
  /** Brings back what the last run archived. */
  rollBack(): Promise<readonly string[]>;
  /** Brings back the skill that this revision archived. Rejects with a Refusal when it cannot. */
  restore(moved: MovedSkill, archived: RevisionId): Promise<void>;
  /** Its verdict on each skill. */
  assess(): Promise<readonly AssessedSkill[]>;
  archived(): Promise<readonly Skill[]>;
  /** Removes skills with matching names from the record of its runs. */
  forget(matches: (name: string) => boolean): Promise<void>;
}

export type AssessedSkill = SkillFacts & Verdict & { readonly skill: Skill };

const archive = ".archive";

export function makeCurator(deps: CuratorDeps): Curator {
  const parts = partsOf(deps);
  const whileLocked = async <T>(job: () => Promise<T>): Promise<T> => {
    await using stack = new AsyncDisposableStack();
    stack.use(await deps.lock());
    return await job();
  };
  const look = (): Promise<readonly AssessedSkill[]> => assessAll(parts);
  const run: Curator["run"] = async ({ dryRun }) =>
    dryRun ? report(await look(), true) : whileLocked(() => curate(parts));
  return {
    run,
    assess: look,
    archived: () => archivedIn(parts),
    async whenDue(isIdle) {
      try {
        if (!deps.settings.enabled || !(await isDue(parts)) || !isIdle()) return [];
        return (await run({ dryRun: false })).filter((line) => line.startsWith("archived"));
      } catch (error) {
        deps.log(`the curator did not run: ${String(error)}`);
        return [];
      }
    },
    rollBack: () => whileLocked(() => rollBack(parts)),
    restore: (moved, archived) => whileLocked(() => restore(parts, moved, archived)),
    forget: (matches) => whileLocked(() => parts.runs.forget(matches)),
  };
}

type Parts = CuratorDeps & {
  readonly cache: HeadCache;
  readonly runs: CuratorRuns;
  readonly moving: MoveDeps;
};

const partsOf = (deps: CuratorDeps): Parts => ({
  ...deps,
  cache: headCache(),
  runs: curatorRuns(deps.store.meta),
  moving: { ...deps, revisions: deps.store.revisions },
});

/** The interval counts from the first time it is asked, so the first call only notes the time. */
async function isDue({ runs, clock, settings }: Parts): Promise<boolean> {
  const last = await runs.last();
  if (last === undefined) await runs.stamp(clock.now());
  return last !== undefined && clock.now() - last >= settings.intervalHours * 3_600_000;
}

async function curate(parts: Parts): Promise<readonly string[]> {
  const { runs, moving, clock, skills } = parts;
  const all = await assessAll(parts);
  const moved = await archivePaths(skills, all);
  // Recorded before anything is moved, so that a run that is cut off can be rolled back, too.
  if (moved.length > 0) await runs.add({ at: clock.now(), moved });
  const failed: string[] = [];
  for (const one of moved) {
    const idle = all.find(({ name }) => name === one.name)?.idleDays ?? 0;
    const summary = `${one.name}: archived, not used for ${counted(idle, "day")}`;
    await putAway(moving, one, summary).catch((error: unknown) => {
      failed.push(`${one.name} was not archived: ${String(error)}`);
    });
  }
  await runs.stamp(clock.now());
  return [...report(all, false), ...failed];
}

async function rollBack({ runs, moving }: Parts): Promise<readonly string[]> {
  const last = (await runs.list()).at(-1);
  if (last === undefined) return ["There is no curator run to roll back."];
  const lines: string[] = [];
  for (const one of last.moved) lines.push(await bringOneBack(moving, one));
  await runs.removeLast();
  return lines;
}

async function restore({ moving }: Parts, moved: MovedSkill, archived: RevisionId): Promise<void> {
  const why = await whyNotBack(moving, moved);
  if (why === undefined) return bringBack(moving, moved, archived);
  const next = "`talaria skills` lists them. If another skill is in its place, move that one away first.";
  throw new Refusal(why.isGone ? "not_found" : "refused", why.words, next);
}

const archivedIn = async ({ skills, cache }: Parts): Promise<readonly Skill[]> =>
  (await skillsIn(join(skills, archive), "home", cache)).skills;

async function assessAll(parts: Parts): Promise<readonly AssessedSkill[]> {
  const { store, skills, settings, clock, cache } = parts;
  const pinned = await parts.pinned();
  const uses = new Map((await store.learnedUses.sums("skill")).map((sum) => [sum.name, sum.last]));
  const found = (await skillsIn(skills, "home", cache)).skills;
  return Promise.all(
    found.map(async (skill): Promise<AssessedSkill> => {
      const { name, source } = skill;
      const file = `skills/${relative(skills, skill.folder)}/${skillFile}`;
      const latest = await store.revisions.latest(file);
      const lastUse = uses.get(name);
      const known: SkillFacts = {
        name,
        source,
        by: await authorOf(store.revisions, file),
        pinned: pinned.has(name),
        changed: Math.max(skill.modified, latest === undefined ? 0 : activeSince(latest)),
        ...(lastUse === undefined ? {} : { lastUse }),
      };
      return { ...known, ...verdictOn(known, clock.now(), settings), skill };
    }),
  );
}

/** Where each skill goes that is to be archived. One of the same name that is already in the archive stays where it is. */
async function archivePaths(skills: string, all: readonly AssessedSkill[]): Promise<readonly MovedSkill[]> {
  const moved: MovedSkill[] = [];
  for (const { name, what, skill } of all) {
    if (what !== "archive") continue;
    let to = `${archive}/${name}`;
    for (let count = 2; await exists(join(skills, to)); count++) to = `${archive}/${count}/${name}`;
    moved.push({ name, from: relative(skills, skill.folder), to });
  }
  return moved;
}

async function bringOneBack(deps: MoveDeps, one: MovedSkill): Promise<string> {
  const why = await whyNotBack(deps, one);
  if (why !== undefined) return why.words;
  const latest = await deps.revisions.latest(`skills/${one.from}/${skillFile}`);
  await bringBack(deps, one, latest?.by === "curator" ? latest.id : undefined);
  return `brought back  ${one.name}`;
}

type WhyNotBack = { readonly words: string; readonly isGone: boolean };

async function whyNotBack(
  { skills }: MoveDeps,
  { name, from, to }: MovedSkill,
): Promise<WhyNotBack | undefined> {
  if (!(await exists(join(skills, to))))
    return { words: `${name} is not in the archive: nothing to do.`, isGone: true };
  if (!(await exists(join(skills, from)))) return undefined;
  const words = `${name} stays in the archive (${to}): there is another one in its place.`;
  return { words, isGone: false };
}

function report(all: readonly AssessedSkill[], dryRun: boolean): readonly string[] {
  const withVerdict = (what: Verdict["what"]): readonly AssessedSkill[] =>
    all.filter((one) => one.what === what);
  const line = (word: string, { name, idleDays }: AssessedSkill): string =>
    `${word}  ${name}: not used for ${counted(idleDays, "day")}`;
  const [gone, stale] = [withVerdict("archive"), withVerdict("stale")];
  const [active, kept] = [withVerdict("active").length, withVerdict("kept").length];
  return [
    ...gone.map((one) => line(dryRun ? "would archive" : "archived", one)),
    ...stale.map((one) => line("stale", one)),
    `${counted(active, "learned skill")} in use; ${counted(kept, "skill")} of yours or pinned, which are never touched.`,
  ];
}

/** Days without use after which a learned skill is called stale, and after which it is archived. */
type Patience = { readonly staleDays: number; readonly archiveDays: number };

/** What is known of a skill. `changed`: when it was made, changed or brought back last. */
type SkillFacts = Pick<ListedSkill, "name" | "source" | "by" | "pinned" | "lastUse"> & {
  readonly changed: number;
};

/** kept: the curator never touches it, however long it is unused */
type Verdict = { readonly what: "kept" | "active" | "stale" | "archive"; readonly idleDays: number };

/**
 * Read off its uses, so there is no state that could be wrong: one that is used is active again. One that was never used
 * counts from its last change, and is as safe as long as one that was used then.
 */
export function verdictOn(known: SkillFacts, now: number, { staleDays, archiveDays }: Patience): Verdict {
  const last = Math.max(known.lastUse ?? 0, known.changed);
  const idleDays = Math.max(0, Math.floor((now - last) / dayMs));
  const isOurs = known.source === "home" && (known.by === "agent" || known.by === "review");
  if (!isOurs || known.pinned) return { what: "kept", idleDays };
  if (idleDays >= archiveDays) return { what: "archive", idleDays };
  return { what: idleDays >= staleDays ? "stale" : "active", idleDays };
}
