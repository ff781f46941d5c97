import { createHash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { systemClock } from "../../src/lib/clock.ts";
import { fileSwapper } from "../../src/lib/files/swap-file.ts";
import { learnedFiles } from "../../src/learning/files/learned-files.ts";
import { redoMemory } from "../../src/learning/memory/redo.ts";
import { redoSkill } from "../../src/learning/skills/skill-change.ts";
import type { Store } from "../../src/store/store.ts";
import { files, handIn, tears } from "./facts.ts";
import type { Hand } from "./hand.ts";

const limits = { memory: 20_000, user: 20_000, project: 20_000 };

/** After a crash, while the hand holds its breath: settles what was left, and says what is wrong then. */
export async function verdict(home: string, store: Store, hand: Hand): Promise<readonly string[]> {
  const known = learnedFiles({
    home,
    revisions: store.revisions,
    redo: { memory: redoMemory(limits), skill: redoSkill },
    clock: systemClock,
    swap: fileSwapper(process.env, systemClock),
    log: () => {},
  });
  await known.reconcile();
  const open = await store.revisions.list({ states: ["writing"], limit: 10 });
  const faults = open.map(({ id, file }) => `${id} of ${file} is open after it was settled`);
  for (const file of Object.values(files)) {
    const text = await readFile(join(home, file), "utf8").catch(() => "");
    faults.push(...tears(file, text));
    const save = hand.saves.get(file);
    const latest = await store.revisions.latest(file);
    const isTheirs = createHash("sha256").update(text).digest("hex") === save?.hash;
    if (latest !== undefined && latest.after !== text && !isTheirs && save !== undefined)
      faults.push(`rows and file disagree: ${file} after ${latest.id} (${latest.by})`);
    if (save !== undefined && handIn(text) !== save.saved) hand.missing.push({ missing: save.saved, file });
  }
  for (const { missing, file } of hand.missing.splice(0)) {
    const kept = await isKept(home, file, missing);
    if (kept) hand.moved.add(`${file} ${missing}`);
    if (!kept) faults.push(`lost: save ${missing} of ${file}`);
  }
  return faults;
}

/** In a revision, or under a name beside it. */
async function isKept(home: string, file: string, n: number): Promise<boolean> {
  const words = `The hand wrote ${n}.`;
  using db = new DatabaseSync(join(home, "talaria.db"), { readOnly: true });
  const found = db
    .prepare("select 1 from revision where file = ? and (instr(after, ?) or instr(before, ?)) limit 1")
    .get(file, words, words);
  if (found !== undefined) return true;
  const folder = dirname(join(home, file));
  const beside = (await readdir(folder)).filter((name) => name.includes(basename(file)));
  const texts = await Promise.all(beside.map((name) => readFile(join(folder, name), "utf8").catch(() => "")));
  return texts.some((text) => text.includes(words));
}
