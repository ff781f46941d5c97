import { join, relative } from "node:path";
import { Refusal } from "../../core/host.ts";
import type { RevisionId } from "../../core/ids.ts";
import type { ListedSkill } from "../../core/learning.ts";
import { counted } from "../../core/plain-text.ts";
import { dayMs } from "../../core/usage.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Store } from "../../store/store.ts";
import type { LearnedFiles } from "../index.ts";
import { type HeadCache, headCache } from "../skills/head-cache.ts";
import { skillsIn } from "../skills/skill-folders.ts";
import { skillFile } from "../skills/skill-names.ts";
import { authorOf } from "../skills/skill-owner.ts";
import type { Skill } from "../skills/skill.ts";
import { type CuratorRuns, type Moved, curatorRuns } from "./runs.ts";
import { type MoveDeps, bringBack, exists, putAway } from "./skill-move.ts";

export type CuratorDeps = {
  readonly store: Pick<Store, "meta" | "revisions" | "learnedUses">;
  readonly files: Pick<LearnedFiles, "read">;
  /** The person's own folder with skills. */
  readonly skills: string;
  readonly pinned: () => Promise<ReadonlySet<string>>;
  readonly settings: Patience & { readonly enabled: boolean; readonly intervalHours: number };
  /** That of learned files: nobody writes them meanwhile, and no other process curates. */
  readonly lock: () => Promise<AsyncDisposable>;
  readonly clock: Clock;
  readonly log: (line: string) => void;
};

/** Puts skills away that nobody uses. Knows no model, deletes nothing. */
export interface Curator {
  /** When it is time and nothing runs. Gives what it put away, one line each. Never rejects. */
  whenDue(isIdle: () => boolean): Promise<readonly string[]>;
  /** Now. Says what it did or would do. */
  run(how: { readonly dryRun: boolean }): Promise<readonly string[]>;
  /** Brings back what the last run put away. */
  rollBack(): Promise<readonly string[]>;
  /** Brings one back that was put away with this revision. Rejects with a Refusal when it cannot. */
  restore(moved: Moved, archived: RevisionId): Promise<void>;
  /** What it would say of each. */
  look(): Promise<readonly Looked[]>;
  archived(): Promise<readonly Skill[]>;
  /** Removes skills with such names from what is kept of its runs. */
  forget(isSo: (name: string) => boolean): Promise<void>;
}

export type Looked = Known & Verdict & { readonly skill: Skill };

const archive = ".archive";

export function makeCurator(deps: CuratorDeps): Curator {
  const parts = partsOf(deps);
  const held = async <T>(job: () => Promise<T>): Promise<T> => {
    await using stack = new AsyncDisposableStack();
    stack.use(await deps.lock());
    return await job();
  };
  const look = (): Promise<readonly Looked[]> => lookAtAll(parts);
  const run: Curator["run"] = async ({ dryRun }) =>
    dryRun ? report(await look(), true) : held(() => curate(parts));
  return {
    run,
    look,
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
    rollBack: () => held(() => rollBack(parts)),
    restore: (moved, archived) => held(() => restore(parts, moved, archived)),
    forget: (isSo) => held(() => parts.runs.forget(isSo)),
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

/** The first time it is only written down that it was here. */
async function isDue({ runs, clock, settings }: Parts): Promise<boolean> {
  const last = await runs.last();
  if (last === undefined) await runs.stamp(clock.now());
  return last !== undefined && clock.now() - last >= settings.intervalHours * 3_600_000;
}

async function curate(parts: Parts): Promise<readonly string[]> {
  const { runs, moving, clock, skills } = parts;
  const all = await lookAtAll(parts);
  const moved = await places(skills, all);
  // What is about to be done is known before it is done, so that a run that is cut off can be taken back, too.
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
  if (last === undefined) return ["There is no run of the curator that could be taken back."];
  const lines: string[] = [];
  for (const one of last.moved) lines.push(await back(moving, one));
  await runs.removeLast();
  return lines;
}

async function restore({ moving }: Parts, moved: Moved, archived: RevisionId): Promise<void> {
  const why = await whyNotBack(moving, moved);
  if (why === undefined) return bringBack(moving, moved, archived);
  const next = "`talaria skills` lists them. One that stands in its place has to be moved away first.";
  throw new Refusal(why.isGone ? "not_found" : "refused", why.words, next);
}

const archivedIn = async ({ skills, cache }: Parts): Promise<readonly Skill[]> =>
  (await skillsIn(join(skills, archive), "home", cache)).skills;

async function lookAtAll(parts: Parts): Promise<readonly Looked[]> {
  const { store, skills, settings, clock, cache } = parts;
  const pinned = await parts.pinned();
  const uses = new Map((await store.learnedUses.sums("skill")).map((sum) => [sum.name, sum.last]));
  const found = (await skillsIn(skills, "home", cache)).skills;
  return Promise.all(
    found.map(async (skill): Promise<Looked> => {
      const { name, source } = skill;
      const file = `skills/${relative(skills, skill.folder)}/${skillFile}`;
      const latest = await store.revisions.latest(file);
      const lastUse = uses.get(name);
      const known: Known = {
        name,
        source,
        by: await authorOf(store.revisions, file),
        pinned: pinned.has(name),
        changed: Math.max(skill.modified, latest === undefined ? 0 : (latest.decidedAt ?? latest.at)),
        ...(lastUse === undefined ? {} : { lastUse }),
      };
      return { ...known, ...verdictOn(known, clock.now(), settings), skill };
    }),
  );
}

/** Where each that has to go would lie. One of the same name that is there already stays where it is. */
async function places(skills: string, all: readonly Looked[]): Promise<readonly Moved[]> {
  const moved: Moved[] = [];
  for (const { name, what, skill } of all) {
    if (what !== "archive") continue;
    let to = `${archive}/${name}`;
    for (let count = 2; await exists(join(skills, to)); count++) to = `${archive}/${count}/${name}`;
    moved.push({ name, from: relative(skills, skill.folder), to });
  }
  return moved;
}

async function back(deps: MoveDeps, one: Moved): Promise<string> {
  const why = await whyNotBack(deps, one);
  if (why !== undefined) return why.words;
  const latest = await deps.revisions.latest(`skills/${one.from}/${skillFile}`);
  await bringBack(deps, one, latest?.by === "curator" ? latest.id : undefined);
  return `brought back  ${one.name}`;
}

type NotBack = { readonly words: string; readonly isGone: boolean };

async function whyNotBack({ skills }: MoveDeps, { name, from, to }: Moved): Promise<NotBack | undefined> {
  if (!(await exists(join(skills, to))))
    return { words: `${name} is not in the archive: nothing to do.`, isGone: true };
  if (!(await exists(join(skills, from)))) return undefined;
  const words = `${name} stays in the archive (${to}): there is another one in its place.`;
  return { words, isGone: false };
}

function report(all: readonly Looked[], dryRun: boolean): readonly string[] {
  const having = (what: Verdict["what"]): readonly Looked[] => all.filter((one) => one.what === what);
  const line = (word: string, { name, idleDays }: Looked): string =>
    `${word}  ${name}: not used for ${counted(idleDays, "day")}`;
  const [gone, stale] = [having("archive"), having("stale")];
  const [active, kept] = [having("active").length, having("kept").length];
  return [
    ...gone.map((one) => line(dryRun ? "would archive" : "archived", one)),
    ...stale.map((one) => line("stale", one)),
    `${counted(active, "learned skill")} in use; ${counted(kept, "skill")} of yours or pinned, which are never touched.`,
  ];
}

/** Days without use after which a learned skill is called stale, and is put away. */
type Patience = { readonly staleDays: number; readonly archiveDays: number };

/** What is known of a skill. `changed`: when it was made, changed or brought back last. */
type Known = Pick<ListedSkill, "name" | "source" | "by" | "pinned" | "lastUse"> & {
  readonly changed: number;
};

/** kept: not the curator's business, however long it lies there */
type Verdict = { readonly what: "kept" | "active" | "stale" | "archive"; readonly idleDays: number };

/**
 * Read off its uses, so there is no state that could be wrong: one that is used is active again. One that was never used
 * counts from its last change, and is as safe as long as one that was used then.
 */
export function verdictOn(known: Known, now: number, { staleDays, archiveDays }: Patience): Verdict {
  const last = Math.max(known.lastUse ?? 0, known.changed);
  const idleDays = Math.max(0, Math.floor((now - last) / dayMs));
  const isOurs = known.source === "home" && (known.by === "agent" || known.by === "review");
  if (!isOurs || known.pinned) return { what: "kept", idleDays };
  if (idleDays >= archiveDays) return { what: "archive", idleDays };
  return { what: idleDays >= staleDays ? "stale" : "active", idleDays };
}
