import { basename, dirname, join } from "node:path";
import { Refusal } from "../../core/host.ts";
import { isPlainObject } from "../../core/json.ts";
import type { Learned, ListedSkill, Revision, ListedMemory } from "../../core/learning.ts";
import type { Clock } from "../../lib/clock.ts";
import type { RevisionTable } from "../../store/schema/learning-tables.ts";
import type { Store } from "../../store/store.ts";
import type { Curator } from "../curator/curator.ts";
import { type MovedSkill, movedSkillIn } from "../curator/runs.ts";
import { activeSince } from "../files/bookkeeping.ts";
import type { LearnedFiles, Reviewer } from "../index.ts";
import { joinedLength, textsOf } from "../memory/entries.ts";
import type { MemoryFile } from "../memory/memory-files.ts";
import { listedSkills, skillText } from "../skills/skill-access.ts";
import { skillFile } from "../skills/skill-names.ts";
import type { BadSkill } from "../skills/skill.ts";
import type { Skills } from "../skills/skills.ts";
import { benefit, history } from "./benefit.ts";
import { forgetWithGrace, settleForgotten, unforget } from "./forget-grace.ts";
import { forget, forgettable } from "./forget.ts";
import { entryKey, entryOrigins } from "./uses.ts";

export type LearnedDeps = {
  readonly store: Store;
  readonly files: LearnedFiles;
  readonly skills: Skills;
  readonly curator: Curator;
  readonly reviewer: Pick<Reviewer, "now">;
  /** The memory files that are used for work in a folder. */
  readonly memoryFiles: (cwd: string) => Promise<readonly MemoryFile[]>;
  /** Why models are not told an entry. */
  readonly leftOut?: (entry: string) => string | undefined;
  /** As tools show what they change. `undefined`: no file. */
  readonly diff: (file: string, before: string | undefined, after: string | undefined) => string;
  readonly home: string;
  /** Where Talaria was started. */
  readonly cwd: string;
  /** The lock of the learned files. */
  readonly lock: () => Promise<AsyncDisposable>;
  /** Caches that repeat what other files say; they are rebuilt when missing. */
  readonly caches?: readonly string[];
  /** Lines for the person about other places that may have what was learned. */
  readonly elsewhere?: readonly string[];
  readonly clock: Clock;
};

/** Who decides what is asked here. */
const person = "person";

/** What people see of learning, and do with it. */
export function learned(deps: LearnedDeps): Learned {
  const { store, files, skills, curator, clock } = deps;
  const forgetDeps = {
    ...deps,
    forgetNames: (matches: (name: string) => boolean) => forgetNames(deps, matches),
  };
  const get = async (idOrPrefix: string): Promise<Revision> =>
    onlyRevision(await store.revisions.find(idOrPrefix), idOrPrefix);
  return {
    now: () => clock.now(),
    list: (filter) => store.revisions.list(filter),
    get,
    approve: async (id) =>
      withSkillFiles(store.revisions, await get(id), (row) => files.approve(row.id, person)),
    reject: async (id) =>
      withSkillFiles(store.revisions, await get(id), (row) => files.reject(row.id, person)),
    async revert(id) {
      const row = await get(id);
      if (isForgotten(row)) throw nothingLeft(row);
      const back = await takenBackBy(store, row);
      if (back !== undefined) throw alreadyTakenBack(row, back);
      const [archived] = archivedSkill(row);
      if (archived === undefined)
        return withSkillFiles(store.revisions, row, (one) => files.revert(one.id, person));
      await curator.restore(archived, row.id);
      return onlyRevision(await store.revisions.list({ file: row.file, limit: 1 }), row.id);
    },
    async diff(id) {
      const row = await get(id);
      return isForgotten(row) ? "" : deps.diff(row.file, row.before, row.after);
    },
    forgettable: (text) => forgettable(deps, text),
    forget: (text) => forgetWithGrace(deps, text),
    unforget: (text) => unforget(deps, text),
    forgetForGood: (text) => forget(forgetDeps, text),
    settleForgotten: () => settleForgotten(forgetDeps),
    benefit: () => benefit({ store, clock }),
    history: (days) => history({ store, clock }, days),
    memory: (cwd) => memoryList(deps, cwd),
    skills: (cwd = deps.cwd) => allSkills(deps, cwd),
    skill: (name, cwd) => skillText(skills, name, cwd),
    pin: (name, pinned) => pinSkill(deps, name, pinned),
    async trust(folder) {
      const names = new Set((await skills.trust(folder)).map(({ name }) => name));
      return (await allSkills(deps, folder)).filter(
        ({ name, source, state }) => source === "project" && state !== "broken" && names.has(name),
      );
    },
    distrust: (folder) => skills.distrust(folder),
    curate: (how) => curator.run(how),
    uncurate: () => curator.rollBack(),
    refine: (session) => deps.reviewer.now(session),
  };
}

async function pinSkill(deps: LearnedDeps, name: string, pinned: boolean): Promise<void> {
  const known = await allSkills(deps, deps.cwd);
  const isKnown = known.some((skill) => skill.name === name) || (await deps.skills.isPinned(name));
  if (!isKnown)
    throw new Refusal(
      "not_found",
      `There is no skill ${JSON.stringify(name)}.`,
      "`talaria skills` lists them.",
    );
  await pinAll(deps, [name], pinned);
}

/** All pins are one value in the store: two processes must not change it at once. */
async function pinAll({ skills, lock }: LearnedDeps, names: readonly string[], on: boolean): Promise<void> {
  await using held = new AsyncDisposableStack();
  held.use(await lock());
  for (const name of names) await skills.pin(name, on);
}

async function forgetNames(deps: LearnedDeps, matches: (name: string) => boolean): Promise<void> {
  await deps.curator.forget(matches);
  const pinned = [...(await deps.skills.pinned())].filter(matches);
  if (pinned.length > 0) await pinAll(deps, pinned, false);
}

/** By its whole id, or as the only one that begins like this. */
function onlyRevision(rows: readonly Revision[], idOrPrefix: string): Revision {
  const exact = rows.find(({ id }) => id === idOrPrefix);
  const [row, ...more] = idOrPrefix === "" ? [] : rows;
  const found = exact ?? (more.length === 0 ? row : undefined);
  if (found !== undefined) return found;
  const what = JSON.stringify(idOrPrefix);
  const next = "`talaria learned` lists them.";
  if (more.length === 0) throw new Refusal("not_found", `There is no revision ${what}.`, next);
  throw new Refusal("not_found", `Several revisions begin with ${what}.`, `Write more of the id; ${next}`);
}

const isForgotten = ({ change, before, after }: Revision): boolean =>
  change === null && before === undefined && after === undefined;

/** The revision that reverted it, unless that one was reverted, too. */
async function takenBackBy({ revisions }: Store, { id, file }: Revision): Promise<Revision | undefined> {
  const rows = await revisions.list({ file, states: ["active"], limit: mostOfFile });
  const undone = new Set(rows.map(({ reverts }) => reverts));
  return rows.find((row) => row.reverts === id && !undone.has(row.id));
}

const mostOfFile = 1000;

const alreadyTakenBack = ({ id }: Revision, back: Revision): Refusal =>
  new Refusal(
    "usage",
    `${id} was taken back already, by ${back.id}.`,
    `\`talaria learned revert ${back.id}\` does it again.`,
  );

const nothingLeft = ({ id }: Revision): Refusal =>
  new Refusal(
    "usage",
    `${id} cannot be taken back: what it said was forgotten.`,
    "Change the file in an editor.",
  );

/** The skill that the curator archived with this revision. */
function archivedSkill({ by, change }: Revision): readonly MovedSkill[] {
  const { action, skill, from, to } = isPlainObject(change) ? change : {};
  return by === "curator" && action === "archive" ? movedSkillIn({ name: skill, from, to }) : [];
}

/** With what the curator says of them, and what it has put away. */
async function allSkills(deps: LearnedDeps, cwd: string): Promise<readonly ListedSkill[]> {
  const { store, skills, curator } = deps;
  const parts = {
    root: join(deps.home, "skills"),
    skills,
    revisions: store.revisions,
    uses: store.learnedUses,
  };
  const [list, looked, archived] = await Promise.all([
    listedSkills(parts, cwd),
    curator.assess(),
    curator.archived(),
  ]);
  const idle = new Set(
    looked.filter(({ what }) => what === "stale" || what === "archive").map(({ name }) => name),
  );
  const sums = new Map((await store.learnedUses.sums("skill")).map((sum) => [sum.name, sum]));
  const away = archived.map(({ name, description, source, folder }): ListedSkill => {
    const sum = sums.get(name);
    return {
      name,
      description,
      source,
      path: join(folder, skillFile),
      by: "agent",
      state: "archived",
      pinned: false,
      uses: sum?.uses ?? 0,
      ...(sum === undefined ? {} : { lastUse: sum.last }),
    };
  });
  const here = list.skills.map((skill): ListedSkill =>
    skill.source === "home" && idle.has(skill.name) ? { ...skill, state: "stale" } : skill,
  );
  return [...here, ...away, ...list.bad.map(broken)];
}

function broken({ path, source, reason }: BadSkill): ListedSkill {
  const folder = basename(path) === skillFile ? dirname(path) : path;
  const facts = { by: "person", state: "broken", pinned: false, uses: 0 } as const;
  return { name: basename(folder), description: reason, source, path, ...facts };
}

const mostRevisions = 2000;

/**
 * Acts on a revision. If that one deletes a skill, it acts on the revisions of the skill's other files as well; a file
 * that somebody has changed since stays as it is.
 */
async function withSkillFiles(
  revisions: Pick<RevisionTable, "list">,
  row: Revision,
  act: (row: Revision) => Promise<Revision>,
): Promise<Revision> {
  const others = await alsoDeleted(revisions, row);
  const done = await act(row);
  for (const other of others)
    await act(other).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
    });
  return done;
}

/**
 * A skill is deleted file by file, its SKILL.md first. The rows of its other files, if this is the one of its SKILL.md:
 * what is decided of that is decided of all.
 */
async function alsoDeleted(
  revisions: Pick<RevisionTable, "list">,
  row: Revision,
): Promise<readonly Revision[]> {
  const { id, file, session, turn, state, at } = row;
  if (turn === undefined || !isRemoval(row) || !file.endsWith(`/${skillFile}`)) return [];
  const folder = file.slice(0, -skillFile.length);
  const rows = await revisions.list({ kind: "skill", states: [state], since: at, limit: mostRevisions });
  return rows.filter(
    (other) =>
      other.id !== id &&
      other.session === session &&
      other.turn === turn &&
      other.file.startsWith(folder) &&
      isRemoval(other),
  );
}

const isRemoval = ({ change }: Revision): boolean => isPlainObject(change) && change["action"] === "remove";

async function memoryList(deps: LearnedDeps, cwd: string): Promise<readonly ListedMemory[]> {
  const { store, files, memoryFiles } = deps;
  const sums = await store.learnedUses.sums("memory");
  const uses = new Map(sums.map((sum) => [sum.name, sum.uses]));
  const lists: ListedMemory[] = [];
  for (const { file, target, limit } of await memoryFiles(cwd)) {
    const texts = textsOf(await files.read(file));
    const origins = entryOrigins(
      await store.revisions.list({ file, states: ["active"], limit: mostRevisions }),
    );
    const entries = texts.map((text) => {
      const origin = origins.get(text);
      const leftOut = deps.leftOut?.(text);
      return {
        text,
        ...(origin === undefined ? {} : { since: activeSince(origin), by: origin.by }),
        uses: uses.get(entryKey(text)) ?? 0,
        ...(leftOut === undefined ? {} : { leftOut }),
      };
    });
    lists.push({ file, target, limit, chars: joinedLength(texts), entries });
  }
  return lists;
}
