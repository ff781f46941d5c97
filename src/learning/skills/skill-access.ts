import { join } from "node:path";
import type { ListedSkill } from "../../core/learning.ts";
import { skillBlock } from "../../core/skill-input.ts";
import type { LearnedUseTable, RevisionTable } from "../../store/schema/learning-tables.ts";
import { skillFileNames, readSkillFile } from "./skill-files.ts";
import { skillFile } from "./skill-names.ts";
import { authorOf } from "./skill-owner.ts";
import { type BadSkill, type Skill, unsetNote } from "./skill.ts";
import type { Skills } from "./skills.ts";

export type AccessParts = {
  /** The folder of the person's own skills. */
  readonly root: string;
  readonly skills: Skills;
  readonly revisions: Pick<RevisionTable, "list">;
  readonly uses: Pick<LearnedUseTable, "sums">;
};

export type SkillList = { readonly skills: readonly ListedSkill[]; readonly bad: readonly BadSkill[] };

/** All that there is for work in a folder, also what cannot be used, for people. */
export async function listedSkills(parts: AccessParts, cwd: string): Promise<SkillList> {
  const [set, pinned, sums] = await Promise.all([
    parts.skills.all(cwd),
    parts.skills.pinned(),
    parts.uses.sums("skill"),
  ]);
  const used = new Map(sums.map((sum) => [sum.name, sum]));
  const listed = async (skill: Skill, state: ListedSkill["state"]): Promise<ListedSkill> => {
    const { name, source, folder } = skill;
    const sum = used.get(name);
    return {
      name,
      description: described(skill),
      source,
      path: join(folder, skillFile),
      by: source === "home" ? await authorOf(parts.revisions, fileOf(parts.root, folder)) : "person",
      state,
      pinned: pinned.has(name),
      uses: sum?.uses ?? 0,
      ...(sum === undefined ? {} : { lastUse: sum.last }),
    };
  };
  const skills = await Promise.all([
    ...set.skills.map((skill) => listed(skill, "active")),
    ...set.untrusted.map((skill) => listed(skill, "untrusted")),
  ]);
  return { skills: skills.toSorted((a, b) => (a.name < b.name ? -1 : 1)), bad: set.bad };
}

function described({ description, withheld, unset }: Skill): string {
  if (withheld !== undefined) return `${description} (not offered: ${withheld})`;
  return unset === undefined ? description : `${description} (not set: ${unset.join(", ")})`;
}

const fileOf = (root: string, folder: string): string =>
  `skills/${folder.slice(root.length + 1)}/${skillFile}`;

/** The text of a skill as its slash command gives it to the model. `undefined`: there is none that can be used. */
export async function skillText(
  skills: Pick<Skills, "find">,
  name: string,
  cwd: string,
): Promise<string | undefined> {
  const read = await readOffered(skills, name, skillFile, cwd);
  if (read === undefined || "why" in read) return undefined;
  const { skill, text } = read;
  const others = (await skillFileNames(skill.folder)).length > 1;
  const notes = [...(others ? [`Its files are in ${skill.folder}.`] : []), unsetNote(skill)];
  const said = notes.filter((note) => note !== "").map((note) => `\n(${note})`);
  return skillBlock(name, [text, ...said].join(""));
}

/**
 * A file of a skill that can be used in a folder. Of a project it is given only if all of the project's skills are still
 * as they were trusted after it was read. `undefined`: there is none that can be used; `why`: the end of a sentence.
 */
export async function readOffered(
  skills: Pick<Skills, "find">,
  name: string,
  file: string,
  cwd: string,
): Promise<{ readonly skill: Skill; readonly text: string } | { readonly why: string } | undefined> {
  const skill = await skills.find(name, cwd);
  if (skill === undefined) return undefined;
  const read = await readSkillFile(skill.folder, file);
  if ("why" in read) return read;
  if (skill.source === "project" && (await skills.find(name, cwd)) === undefined) return undefined;
  return { skill, text: read.text };
}
