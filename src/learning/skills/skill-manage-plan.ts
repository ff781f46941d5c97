import { Refusal } from "../../core/host.ts";
import type { SessionId } from "../../core/ids.ts";
import type { LearnedFiles } from "../index.ts";
import type { SeenSkills } from "./seen-skills.ts";
import { type SkillChange, redoSkill } from "./skill-change.ts";
import { hashOf, skillFileNames } from "./skill-files.ts";
import { frontMatter } from "./skill-format.ts";
import { isSkillName, skillFile, whyNoSkillFile } from "./skill-names.ts";
import type { Skill } from "./skill.ts";

/** What the tool is asked for. */
export type ManageArgs = {
  readonly action: "create" | "patch" | "edit" | "delete" | "write_file" | "remove_file";
  readonly name: string;
  readonly category?: string | undefined;
  readonly file?: string | undefined;
  readonly content?: string | undefined;
  readonly old_text?: string | undefined;
  readonly new_text?: string | undefined;
};

/** One file that is to be changed. `words`: what of it has to rest on somebody's words. */
export type Step = {
  /** Below the home. */
  readonly file: string;
  /** On disk, as `seen` knows it. */
  readonly path: string;
  readonly change: SkillChange;
  readonly summary: string;
  readonly words: string;
  readonly after?: string;
};

export type PlanParts = {
  /** The folder of the person's own skills. */
  readonly root: string;
  readonly files: Pick<LearnedFiles, "read">;
  readonly seen: Pick<SeenSkills, "seen">;
};

const mostFiles = 100;

/** What has to be done for it. Throws a Refusal when it cannot be. `skills`: all that there are, wherever they are. */
export async function planOf(
  parts: PlanParts,
  session: SessionId,
  args: ManageArgs,
  skills: readonly Skill[],
): Promise<readonly Step[]> {
  const { action, name, category } = args;
  const skill = skills.find((one) => one.name === name);
  if (!isSkillName(name))
    throw usageError(
      `${JSON.stringify(name)} is not a name for a skill: use lowercase letters, digits and dashes, at most 64.`,
    );
  if (category !== undefined && !isSkillName(category))
    throw usageError(`${JSON.stringify(category)} is not a name for a category.`);
  if (action === "create") {
    if (skill !== undefined)
      throw usageError(`There is a skill ${name} already, in ${skill.folder}. Patch that one.`);
    refuseHiding(parts, name, category, skills);
    const content = needed(args.content, "content");
    const folder = category === undefined ? name : `${category}/${name}`;
    return [step(parts, folder, skillFile, { action, skill: name, content }, undefined, `new skill ${name}`)];
  }
  if (skill === undefined) throw usageError(`There is no skill ${name}. skills_list shows all.`);
  if (skill.source !== "home")
    throw usageError(`${name} is not ours to change: it comes from ${skill.folder}, which is only read.`);
  const folder = skill.folder.slice(parts.root.length + 1);
  if (action === "delete") return removal(parts, folder, name, await skillFileNames(skill.folder));
  return [await changeOf(parts, session, args, folder)];
}

/** A folder is a skill or has some in it: one that is both would show the first alone. */
function refuseHiding(
  { root }: PlanParts,
  name: string,
  category: string | undefined,
  skills: readonly Skill[],
): void {
  const folders = skills.map(({ folder }) => folder);
  if (category !== undefined && folders.includes(`${root}/${category}`))
    throw usageError(`${category} is a skill itself and cannot be a category. Choose another one, or none.`);
  if (category === undefined && folders.some((folder) => folder.startsWith(`${root}/${name}/`)))
    throw usageError(
      `${name} is a category, and its skills would not be found any more. Choose another name.`,
    );
}

async function changeOf(
  parts: PlanParts,
  session: SessionId,
  args: ManageArgs,
  folder: string,
): Promise<Step> {
  const { action, name } = args;
  const file = args.file ?? skillFile;
  const why = whyNoSkillFile(file);
  if (why !== undefined) throw usageError(`${JSON.stringify(file)} cannot be: ${why}.`);
  const isMain = file === skillFile;
  if (isMain && (action === "write_file" || action === "remove_file"))
    throw usageError(
      `${action} is for the other files of a skill: give file. For SKILL.md there are patch and edit.`,
    );
  if (!isMain && action === "edit")
    throw usageError("edit replaces SKILL.md; for other files there is write_file.");
  const now = await parts.files.read(belowHome(folder, file));
  const main = isMain ? { skill: name } : {};
  const made = (change: SkillChange, word: string): Step =>
    step(parts, folder, file, change, now, `${name}: ${word} ${file}`);
  if (now === undefined) {
    if (action !== "write_file") throw usageError(`${name} has no file ${file}.`);
    return made({ action: "create", content: needed(args.content, "content") }, "new file");
  }
  const base = hashOf(now);
  const known = parts.seen.seen(session, parts.root + belowRoot(folder, file));
  if (known !== base)
    throw usageError(
      known === undefined
        ? `Read ${file} of ${name} with skill_view first: only what was read is changed.`
        : `${file} of ${name} was changed since it was read. Read it again with skill_view.`,
    );
  if (action === "remove_file") return made({ action: "remove", base }, "removed");
  if (action === "patch") {
    const old_text = needed(args.old_text, "old_text");
    const new_text = args.new_text ?? "";
    return made({ action, old_text, new_text, ...main }, "patched");
  }
  return made({ action: "replace", content: needed(args.content, "content"), base, ...main }, "rewritten");
}

/** SKILL.md first: without it the rest is no skill. */
async function removal(
  parts: PlanParts,
  folder: string,
  name: string,
  files: readonly string[],
): Promise<readonly Step[]> {
  if (files.length > mostFiles)
    throw usageError(`${name} has more than ${mostFiles} files; a person has to delete it.`);
  const steps: Step[] = [];
  for (const file of files) {
    const now = await parts.files.read(belowHome(folder, file));
    if (now === undefined) continue;
    const change = { action: "remove", base: hashOf(now) } as const;
    const made = step(parts, folder, file, change, now, `${name}: deleted ${file}`);
    steps.push({ ...made, words: `delete ${name}` });
  }
  return steps;
}

function step(
  { root }: PlanParts,
  folder: string,
  file: string,
  change: SkillChange,
  now: string | undefined,
  summary: string,
): Step {
  const after = redoSkill(change, now);
  return {
    file: belowHome(folder, file),
    path: root + belowRoot(folder, file),
    change,
    summary,
    words: changedText(now, after),
    ...(after === undefined ? {} : { after }),
  };
}

const belowRoot = (folder: string, file: string): string => `/${folder}/${file}`;
const belowHome = (folder: string, file: string): string => `skills${belowRoot(folder, file)}`;

function needed(value: string | undefined, name: string): string {
  if (value === undefined || value === "") throw usageError(`${name} is missing.`);
  return value;
}

const usageError = (message: string): Refusal => new Refusal("usage", message, "");

/**
 * The lines that a change adds or takes away, without what a SKILL.md needs to be one: what has to rest on somebody's
 * words. A line that is taken away can turn the meaning of the rest around.
 */
function changedText(before: string | undefined, after: string | undefined): string {
  const [old, fresh] = [meaningfulLines(before ?? ""), meaningfulLines(after ?? "")];
  const [known, kept] = [new Set(old), new Set(fresh)];
  return [...fresh.filter((line) => !known.has(line)), ...old.filter((line) => !kept.has(line))].join("\n");
}

function meaningfulLines(text: string): readonly string[] {
  const matter = frontMatter(text);
  if (matter === undefined) return lines(text);
  const head = lines(matter.yaml)
    .filter((line) => !/^(name|version|license):/.test(line))
    .map((line) => line.replace(/^\s*[\w-]+:(\s|$)/, ""));
  return [...head, ...lines(text.slice(matter.end))].filter((line) => line !== "");
}

const lines = (text: string): readonly string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
