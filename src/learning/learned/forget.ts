import type { Dirent } from "node:fs";
import { rm, readdir } from "node:fs/promises";
import { join } from "node:path";
import { Refusal } from "../../core/host.ts";
import type { RevisionId, SessionId } from "../../core/ids.ts";
import { type Json, isPlainObject } from "../../core/json.ts";
import type { Forgettable, Forgotten, Revision } from "../../core/learning.ts";
import { short } from "../../core/plain-text.ts";
import type { Store } from "../../store/store.ts";
import type { LearnedFiles } from "../index.ts";
import { textsOf } from "../memory/entries.ts";
import { skillFile } from "../skills/skill-names.ts";
import { type Needle, folded, needle } from "./folded.ts";
import { type ForgetChange, removedFrom, headOf } from "./forget-redo.ts";
import { entryKey } from "./uses.ts";

export type ForgetDeps = {
  readonly store: Pick<Store, "revisions" | "learnedUses" | "snapshots" | "reviews" | "search" | "sessions">;
  /** Made with `withForgetting`. */
  readonly files: LearnedFiles;
  readonly home: string;
  /** Caches that repeat what other files say; they are rebuilt when missing. */
  readonly caches?: readonly string[];
  /** Removes matching skill names from what is stored besides revisions. */
  readonly forgetNames?: (matches: (name: string) => boolean) => Promise<void>;
  /** Lines for the person about other places that may have a copy, such as a memory service. */
  readonly elsewhere?: readonly string[];
};

const fewestLetters = 3;
const mostRevisions = 1_000_000;
const mostHits = 500;

/**
 * Removes everything that was derived from a text, part by part, files first: their changes make revisions, too. A crash
 * in between leaves parts that have it still, and the next run finds those.
 */
export async function forget(deps: ForgetDeps, text: string): Promise<Forgotten> {
  const { store, files, home } = deps;
  const sought = needleFor(text);
  const { changed, left } = await forgetInFiles(deps, await learnedFileNames(home), text, sought);
  const rows = await revisionsWith(deps, sought);
  for (const row of rows) if (row.state === "proposed") await rejectProposal(files, row.id);
  await forgetUses(deps, rows, sought);
  const named = rows.filter(({ file }) => isNamed(file, sought));
  await store.revisions.forget(
    rows.map(({ id }) => id),
    named.map(({ id }) => id),
  );
  await deps.forgetNames?.((name) => isNamed(name, sought));
  await store.reviews.forget(sought.isIn);
  const toldSessions = await store.snapshots.forget(sought.isIn);
  for (const cache of deps.caches ?? []) await rm(cache, { force: true });
  return {
    files: changed,
    revisions: rows.length,
    left: [...left, ...(await mentionsInSessions(deps, text, toldSessions)), ...(deps.elsewhere ?? [])],
  };
}

/** What `forget` would remove. Changes nothing. */
export async function forgettable(deps: ForgetDeps, text: string): Promise<Forgettable> {
  const sought = needleFor(text);
  const paths = await learnedFileNames(deps.home);
  const folders = await skillFoldersToRemove(deps.files, paths, sought);
  const files: Forgettable["files"][number][] = [];
  for (const { kind, file } of paths) {
    const now = await deps.files.read(file).catch(() => undefined);
    const inFolder = folders.some((folder) => file.startsWith(`${folder}/`));
    if (now === undefined || (!inFolder && !sought.isIn(now))) continue;
    const gone = inFolder ? undefined : removedFrom(kind, now, sought);
    files.push({ file, gone: gone ?? [], whole: gone === undefined });
  }
  return { files, revisions: (await revisionsWith(deps, sought)).length };
}

/** Removes it from the files and from what models are told, and nothing else, so that it can be reverted. */
export async function hide(
  deps: ForgetDeps,
  text: string,
): Promise<Forgotten & { readonly done: readonly RevisionId[] }> {
  const sought = needleFor(text);
  const { changed, left, done } = await forgetInFiles(deps, await learnedFileNames(deps.home), text, sought);
  const toldSessions = await deps.store.snapshots.forget(sought.isIn);
  for (const cache of deps.caches ?? []) await rm(cache, { force: true });
  return {
    files: changed,
    revisions: (await revisionsWith(deps, sought)).length,
    left: [...left, ...(await mentionsInSessions(deps, text, toldSessions)), ...(deps.elsewhere ?? [])],
    done,
  };
}

function needleFor(text: string): Needle {
  if ((folded(text).match(/[\p{L}\p{N}]/gu) ?? []).length < fewestLetters) throw tooShort();
  return needle(text);
}

/** The revisions that contain it. */
const revisionsWith = async ({ store }: ForgetDeps, sought: Needle): Promise<readonly Revision[]> =>
  (await store.revisions.list({ limit: mostRevisions })).filter((row) => holds(row, sought));

const tooShort = (): Refusal =>
  new Refusal(
    "usage",
    `What is to be forgotten needs at least ${fewestLetters} letters or digits: a shorter text is in almost everything.`,
    "Write more of it, such as the whole sentence.",
  );

type FilesDone = {
  readonly changed: readonly string[];
  readonly left: readonly string[];
  readonly done: readonly RevisionId[];
};

async function forgetInFiles(
  { files }: ForgetDeps,
  paths: readonly LearnedFileName[],
  text: string,
  sought: Needle,
): Promise<FilesDone> {
  const folders = await skillFoldersToRemove(files, paths, sought);
  const [changed, left]: [string[], string[]] = [[], []];
  const done: RevisionId[] = [];
  for (const { kind, file } of paths) {
    const whole = folders.some((folder) => file.startsWith(`${folder}/`));
    try {
      const now = await files.read(file);
      if (now === undefined || (!whole && !sought.isIn(now))) continue;
      const change: ForgetChange = { forget: text, ...(whole ? { whole } : {}) };
      const from = { by: "person", evidence: [], trusted: true } as const;
      const { id } = await files.change(
        { kind, file, summary: "something was forgotten", change, from },
        "write",
      );
      done.push(id);
      changed.push(file);
      if (sought.isIn((await files.read(file)) ?? "")) left.push(`${file} still has it at the beginning.`);
    } catch (error) {
      left.push(`${file} was not changed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { changed, left, done };
}

/** Skill folders that have to go as a whole: the text is in the name or in the front matter. */
async function skillFoldersToRemove(
  files: LearnedFiles,
  paths: readonly LearnedFileName[],
  sought: Needle,
): Promise<readonly string[]> {
  const folders: string[] = [];
  for (const { kind, file } of paths) {
    if (kind !== "skill" || !file.endsWith(`/${skillFile}`)) continue;
    const folder = file.slice(0, -skillFile.length - 1);
    const text = (await files.read(file).catch(() => undefined)) ?? "";
    const name = folder.split("/").at(-1) ?? "";
    if (sought.isIn(headOf(text)) || isNamed(name, sought)) folders.push(folder);
  }
  return folders;
}

/** Names of skills and files have dashes and slashes where people write spaces. */
const isNamed = (name: string, sought: Needle): boolean =>
  sought.isIn(name) || sought.isIn(name.replaceAll(/[-/]/g, " "));

/** In any of its texts, also in those of a change that was never done, or in the name of what it is about. */
function holds(row: Revision, sought: Needle): boolean {
  const { file, summary, evidence, change, before, after, why } = row;
  if (isNamed(file, sought) || isNamed(summary, sought)) return true;
  return [...evidence, before, after, why, ...stringsIn(change)].some(
    (text) => text !== undefined && sought.isIn(text),
  );
}

function stringsIn(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return isPlainObject(value) ? Object.values(value as Record<string, Json>).flatMap(stringsIn) : [];
}

/** Somebody may have decided it meanwhile: what came of it is a revision that the next run finds. */
const rejectProposal = async (files: LearnedFiles, id: RevisionId): Promise<void> => {
  await files.reject(id, "person", "It was to be forgotten.").catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
  });
};

/** Uses of entries that ever contained it, and of skills with it in their name. */
async function forgetUses({ store }: ForgetDeps, rows: readonly Revision[], sought: Needle): Promise<void> {
  const memory = rows.filter(({ kind }) => kind === "memory");
  const entries = memory.flatMap(({ before, after }) => [...textsOf(before), ...textsOf(after)]);
  const keys = new Set(entries.filter(sought.isIn).map(entryKey));
  for (const key of keys) await store.learnedUses.forget("memory", key);
  const used = await store.learnedUses.sums("skill");
  for (const { name } of used) if (isNamed(name, sought)) await store.learnedUses.forget("skill", name);
}

/** Conversations belong to the person: they are listed, not changed. */
async function mentionsInSessions(
  { store }: ForgetDeps,
  text: string,
  toldSessions: readonly SessionId[],
): Promise<readonly string[]> {
  const hits = await store.search({ text: `"${text.replaceAll('"', " ")}"`, limit: mostHits });
  const titles = new Map<SessionId, string>(toldSessions.map((session) => [session, ""]));
  for (const { session, title = "" } of hits) titles.set(session, title);
  const said = new Set<string>(hits.map(({ session }) => session));
  const named = [...titles].map(([session, title]) => {
    const name = title === "" ? session : `${session} (${short(title, 60)})`;
    const why = said.has(session) ? "was said in" : "was told to the model of";
    return `It ${why} ${name}. To remove that conversation: talaria sessions delete ${session} --yes`;
  });
  return [...named, ...((await isOnCodex(store, [...titles.keys()])) ? [codexNote] : [])];
}

const codexNote =
  "Codex keeps files of its own of conversations that ran on it, in `sessions` of its home: Talaria removes none of them.";

async function isOnCodex({ sessions }: ForgetDeps["store"], named: readonly SessionId[]): Promise<boolean> {
  for (const session of named)
    if ((await sessions.turns(session)).some(({ runtime }) => runtime === "codex")) return true;
  return false;
}

/** A file of memory or of a skill, by its name below the home. */
type LearnedFileName = { readonly kind: Revision["kind"]; readonly file: string };

const deepest = 8;
const most = 50_000;

/** All of them, archived skills included. Links are not followed. */
async function learnedFileNames(home: string): Promise<readonly LearnedFileName[]> {
  const found: LearnedFileName[] = [];
  const walk = async (kind: Revision["kind"], folder: string, depth: number): Promise<void> => {
    for (const entry of await entriesIn(join(home, folder))) {
      const file = `${folder}/${entry.name}`;
      if (entry.isDirectory() && depth < deepest) await walk(kind, file, depth + 1);
      if (entry.isFile() && found.length < most) found.push({ kind, file });
    }
  };
  await walk("memory", "memories", 1);
  await walk("skill", "skills", 1);
  return found;
}

const entriesIn = async (folder: string): Promise<readonly Dirent[]> =>
  (await readdir(folder, { withFileTypes: true }).catch(() => [])).toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  );
