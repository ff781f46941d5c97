import { z } from "zod";
import { Refusal } from "../../core/host.ts";
import type { Revision } from "../../core/learning.ts";
import type { RevisionTable } from "../../store/schema/learning-tables.ts";
import type { Tool, ToolContext, ToolResult } from "../../tools/tool.ts";
import type { ProvenanceOf, LearnedFiles, WriteRule } from "../index.ts";
import type { SeenSkills } from "./seen-skills.ts";
import { hashOf } from "./skill-files.ts";
import { type ManageArgs, type Step, planOf } from "./skill-manage-plan.ts";
import { skillFile } from "./skill-names.ts";
import { authorOf } from "./skill-owner.ts";
import type { Skill } from "./skill.ts";
import type { Skills } from "./skills.ts";

export type ManageParts = {
  /** The folder of the person's own skills. */
  readonly root: string;
  readonly skills: Pick<Skills, "all" | "isPinned">;
  readonly files: LearnedFiles;
  readonly seen: SeenSkills;
  readonly revisions: Pick<RevisionTable, "list">;
  readonly provenanceOf: ProvenanceOf;
  /** What in a text tries to steer whoever reads it, as the end of a sentence. */
  readonly suspicion: (text: string) => string | undefined;
  readonly ruleOf: (context: Pick<ToolContext, "session" | "turn">) => WriteRule;
};

const schema = z.object({
  action: z.enum(["create", "patch", "edit", "delete", "write_file", "remove_file"]),
  name: z.string().max(100).describe("small-letters-and-dashes"),
  category: z.string().max(64).optional().describe("With create"),
  file: z.string().max(300).optional().describe("Such as references/x.md; SKILL.md if left out"),
  content: z.string().max(200_000).optional().describe("Of create, edit, write_file: the whole file"),
  old_text: z.string().max(200_000).optional().describe("Of patch: what is there once"),
  new_text: z.string().max(200_000).optional().describe("Of patch: what takes its place"),
});

export const skillManageTool = (parts: ManageParts): Tool<typeof schema> => ({
  name: "skill_manage",
  toolset: "skills",
  description:
    "Keep a way of doing things as a skill, or correct one (patch rather than edit). Read it with skill_view first. " +
    "SKILL.md begins with front matter: name, description. What does not rest on the person's own words waits for them.",
  schema,
  // What it writes is judged by what it rests on, and can be taken back.
  effect: "none",
  lasting: true,
  timeoutMs: 30_000,
  maxOutputChars: 10_000,
  inOrder: true,
  async run(args, context) {
    try {
      return await manage(parts, args, context);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { ok: false, output: `Nothing was changed. ${`${error.message} ${error.next}`.trim()}` };
    }
  },
});

async function manage(parts: ManageParts, args: ManageArgs, context: ToolContext): Promise<ToolResult> {
  const { session, turn, cwd } = context;
  const { by, mode } = parts.ruleOf(context);
  const { skills } = await parts.skills.all(cwd);
  const skill = skills.find(({ name }) => name === args.name);
  const steps = await planOf(parts, session, args, skills);
  const protection = skill === undefined ? undefined : await whyProtected(parts, skill);
  if (protection !== undefined && (args.action === "delete" || args.action === "remove_file"))
    throw new Refusal("refused", `${args.name} ${protection}, and only the person deletes it.`, "");
  const words = [...new Set(steps.map((step) => step.words))].join("\n");
  const { trusted, evidence } = await parts.provenanceOf(session, words);
  const why = mode === "propose" ? "reviews only propose" : (protection ?? whyNot(parts, steps, trusted));
  const done: Revision[] = [];
  for (const { file, path, change, summary, after } of steps) {
    const from = { by, session, turn, evidence, trusted };
    const how = why === undefined ? "write" : "propose";
    done.push(await parts.files.change({ kind: "skill", file, summary, change, from }, how, why));
    if (why === undefined && after !== undefined) parts.seen.saw(session, path, hashOf(after));
  }
  return { ok: true, output: answer(done, why) };
}

/** Why a skill is not the agent's: `undefined`, when it is. */
async function whyProtected(parts: ManageParts, { name, folder }: Skill): Promise<string | undefined> {
  if (await parts.skills.isPinned(name)) return "is pinned";
  const file = `skills/${folder.slice(parts.root.length + 1)}/${skillFile}`;
  return (await authorOf(parts.revisions, file)) === "person" ? "was made by the person" : undefined;
}

function whyNot(parts: ManageParts, steps: readonly Step[], trusted: boolean): string | undefined {
  const texts = steps.map(({ words, after = "" }) => `${words}\n${after}`);
  const suspicion = texts.map(parts.suspicion).find((found) => found !== undefined);
  if (suspicion !== undefined) return suspicion;
  return trusted ? undefined : "it does not rest on the person's own words";
}

function answer(done: readonly Revision[], why: string | undefined): string {
  const [first] = done;
  const what = done.length === 1 ? first?.file : `${first?.file} and ${done.length - 1} more`;
  if (why === undefined) return `Written: ${what} (${first?.id}).`;
  return `Proposed: ${what} (${first?.id}) waits for the person, because ${because(why)}. Go on without it.`;
}

const because = (why: string): string => (/^(is|was) /.test(why) ? `the skill ${why}` : why);
