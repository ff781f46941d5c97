import { z } from "zod";
import type { LearnedUseTable } from "../../store/schema/learning-tables.ts";
import { type Tool, type ToolContext, failed } from "../../tools/tool.ts";
import type { WriteRule } from "../index.ts";
import type { SeenSkills } from "./seen-skills.ts";
import { readOffered } from "./skill-access.ts";
import { hashOf, skillFileNames } from "./skill-files.ts";
import { isSkillName, skillFile } from "./skill-names.ts";
import { type Skill, sourceWords, unsetNote } from "./skill.ts";
import type { Skills } from "./skills.ts";

const maxFilesNamed = 50;

export type ViewParts = {
  readonly skills: Pick<Skills, "find">;
  readonly seen: SeenSkills;
  readonly uses: Pick<LearnedUseTable, "add">;
  readonly ruleOf: (context: Pick<ToolContext, "session" | "turn">) => WriteRule;
};

const schema = z.object({
  name: z.string().max(100),
  file: z.string().max(300).optional().describe("One of its files instead of SKILL.md"),
});

export const skillViewTool = (parts: ViewParts): Tool<typeof schema> => ({
  name: "skill_view",
  toolset: "skills",
  description: "Read a skill, or one of its files.",
  schema,
  effect: "none",
  timeoutMs: 15_000,
  // A skill has to be seen whole: it may be changed after that.
  maxOutputChars: 110_000,
  async run({ name, file = skillFile }, context) {
    const read = isSkillName(name) ? await readOffered(parts.skills, name, file, context.cwd) : undefined;
    if (read === undefined)
      return failed(`There is no skill ${JSON.stringify(name)}. skills_list shows all.`);
    if ("why" in read) return failed(`${file} of ${name} could not be read: ${read.why}.`);
    const { skill, text } = read;
    parts.seen.saw(context.session, `${skill.folder}/${file}`, hashOf(text));
    await countUse(parts, context, name);
    return { ok: true, output: `${await note(skill, file)}\n\n${text}` };
  },
});

/** What a review reads is not a use. Errors are ignored: a call from outside has no turn to count it for. */
async function countUse({ uses, ruleOf }: ViewParts, context: ToolContext, name: string): Promise<void> {
  const { session, turn, clock } = context;
  if (ruleOf(context).by === "review") return;
  await uses.add([{ kind: "skill", name, session, turn, at: clock.now() }]).catch(() => {});
}

async function note(skill: Skill, file: string): Promise<string> {
  const { name, source, folder } = skill;
  const others = file === skillFile ? (await skillFileNames(folder)).filter((each) => each !== file) : [];
  const named = others.slice(0, maxFilesNamed).join(", ");
  const rest = others.length > maxFilesNamed ? ` and ${others.length - maxFilesNamed} more` : "";
  return [
    `[${file} of the skill ${name}, from ${sourceWords[source]}: ${folder}]`,
    ...(others.length === 0 ? [] : [`[further files: ${named}${rest}]`]),
    ...(unsetNote(skill) === "" ? [] : [`[${unsetNote(skill)}]`]),
  ].join("\n");
}
