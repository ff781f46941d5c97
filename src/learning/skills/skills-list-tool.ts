import { z } from "zod";
import { counted, short } from "../../core/plain-text.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Skill, SkillSet } from "./skill.ts";
import type { Skills } from "./skills.ts";

const maxShown = 200;
const maxBad = 10;

const schema = z.object({
  query: z.string().max(200).optional().describe("Words to look for"),
  category: z.string().max(64).optional(),
});

export const skillsListTool = (skills: Pick<Skills, "all">): Tool<typeof schema> => ({
  name: "skills_list",
  toolset: "skills",
  description: "List the skills there are, or those with these words.",
  schema,
  effect: "none",
  timeoutMs: 30_000,
  maxOutputChars: 40_000,
  async run({ query = "", category }, { cwd }) {
    return { ok: true, output: listText(await skills.all(cwd), query, category) };
  },
});

function listText(set: SkillSet, query: string, category: string | undefined): string {
  const words = query.toLowerCase().split(/\s+/);
  const fits = (skill: Skill): boolean =>
    (category === undefined || skill.category === category) && words.every((word) => has(skill, word));
  const offered = set.skills.filter(({ withheld }) => withheld === undefined);
  const found = offered.filter(fits);
  const rest = found.length - maxShown;
  return [
    ...(found.length === 0 ? [offered.length === 0 ? "There are no skills." : "No skill fits."] : []),
    ...found.slice(0, maxShown).map(lineOf),
    ...(rest > 0 ? [`${rest} more: look for words, or a category.`] : []),
    ...restLines(set),
  ].join("\n");
}

const has = ({ name, description, tags, category = "" }: Skill, word: string): boolean =>
  [name, description, category, ...tags].some((text) => text.toLowerCase().includes(word));

const lineOf = ({ name, description, category, source }: Skill): string => {
  const notes = [...(category === undefined ? [] : [category]), ...(source === "home" ? [] : [source])];
  return `- ${name}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}: ${short(description, 300)}`;
};

/** What is not offered and why. Of a project that nobody trusts not a word is passed on. */
function restLines({ skills, bad, untrusted }: SkillSet): readonly string[] {
  const withheldLines = skills.flatMap(({ name, withheld }) =>
    withheld === undefined ? [] : [`${name}: ${withheld}`],
  );
  const broken = bad
    .filter(({ source }) => source !== "project")
    .map(({ path, reason }) => `${short(path, 200)}: ${short(reason, 200)}`);
  const left = [...withheldLines, ...broken];
  return [
    ...(left.length === 0 ? [] : ["Not offered:", ...left.slice(0, maxBad).map((line) => `- ${line}`)]),
    ...(left.length > maxBad ? [`- and ${left.length - maxBad} more`] : []),
    ...(untrusted.length === 0
      ? []
      : [
          `This project has ${counted(untrusted.length, "skill")} that the person has not trusted (talaria skills trust).`,
        ]),
  ];
}
