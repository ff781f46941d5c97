import { readSkillFile } from "./skill-files.ts";
import type { Skill } from "./skill.ts";
import type { Skills } from "./skills.ts";

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
