import { join, resolve } from "node:path";
import type { Config } from "../../config/settings.ts";
import type { TurnId } from "../../core/ids.ts";
import { learnedFiles } from "../../learning/files/learned-files.ts";
import type { ProvenanceOf, LearnedFiles, WriteRule } from "../../learning/index.ts";
import { withForgetting } from "../../learning/learned/forget-redo.ts";
import { activeSince } from "../../learning/files/bookkeeping.ts";
import { entryOrigins } from "../../learning/learned/uses.ts";
import { type MemoryFile, memoryFiles } from "../../learning/memory/memory-files.ts";
import { memoryPrompt } from "../../learning/memory/memory-prompt.ts";
import type { MemoryTarget } from "../../learning/memory/memory-limits.ts";
import { redoMemory } from "../../learning/memory/redo.ts";
import { type OwnWords, provenanceOf, ownWords } from "../../learning/provenance/own-words.ts";
import { scan } from "../../learning/scan/scan.ts";
import { type SeenSkills, seenSkills } from "../../learning/skills/seen-skills.ts";
import { redoSkill } from "../../learning/skills/skill-change.ts";
import { skillIndex } from "../../learning/skills/skill-index.ts";
import { type Skills, openSkills } from "../../learning/skills/skills.ts";
import type { Clock } from "../../lib/clock.ts";
import { fileSwapper } from "../../lib/files/swap-file.ts";
import type { Store } from "../../store/store.ts";
import type { Tool, ToolContext } from "../../tools/tool.ts";
import { type LearnedPrompts, learnedPrompts } from "../prompt/learned-prompt.ts";
import { projectOf } from "../prompt/project-context.ts";

export type LearningDeps = {
  readonly config: Pick<Config, "home" | "paths" | "memory" | "skills" | "learning">;
  readonly store: Store;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: (line: string) => void;
  /** Is this turn one of a review? */
  readonly isReview: (turn: TurnId) => boolean;
  /** Of all tools that are on, and of the sets that they belong to. */
  readonly toolNames: () => Promise<ReadonlySet<string>>;
};

/** Memory and skills, joined. */
export type Learning = {
  readonly files: LearnedFiles;
  readonly skills: Skills;
  readonly memoryFiles: (cwd: string) => Promise<readonly MemoryFile[]>;
  readonly ownWords: OwnWords;
  readonly provenanceOf: ProvenanceOf;
  readonly suspicion: (text: string) => string | undefined;
  readonly prompts: LearnedPrompts;
  /** Loaded with the first turn. */
  tools(): Promise<readonly Tool[]>;
};

export function openLearning(deps: LearningDeps): Learning {
  const { config, store, env, clock, log } = deps;
  const { memory, paths } = config;
  const limits = { memory: memory.charLimit, user: memory.userCharLimit, project: memory.charLimit };
  const files = learnedFiles({
    home: config.home,
    revisions: store.revisions,
    redo: withForgetting({ memory: redoMemory(limits), skill: redoSkill }),
    clock,
    swap: fileSwapper(env, clock),
    log,
  });
  const places = memoryFiles({ limits, targets: targetsOf(config), projectOf });
  const external = config.skills.externalDirs.map((folder) => absolute(folder, config.home, env));
  const skills = openSkills({
    home: paths.skills,
    external,
    projectOf,
    tools: deps.toolNames,
    meta: store.meta,
    cacheFile: join(paths.run, "skills.json"),
  });
  const memoryAndSkills = {
    files,
    skills,
    memoryFiles: places,
    ownWords: ownWords(store),
    provenanceOf: provenanceOf(store),
    suspicion: scan,
  };
  const parts = async (cwd: string): Promise<readonly string[]> => {
    const memories = await remembered(store, memoryAndSkills, cwd);
    return [memories, config.skills.enabled ? await indexOf(store, skills, cwd, memories) : ""];
  };
  const seen = seenSkills();
  return {
    ...memoryAndSkills,
    prompts: learnedPrompts({ store, parts, projectOf, suspicion: scan }),
    tools: () => learningTools(deps, memoryAndSkills, seen),
  };
}

/** As it is written in the settings: from the person's folder, or from the home. */
const absolute = (folder: string, home: string, { HOME = home }: LearningDeps["env"]): string =>
  resolve(home, folder.replace(/^~(?=\/|$)/, HOME));

function targetsOf({ memory }: LearningDeps["config"]): ReadonlySet<MemoryTarget> {
  const work: readonly MemoryTarget[] = memory.enabled ? ["memory", "project"] : [];
  return new Set([...work, ...(memory.userProfile ? (["user"] as const) : [])]);
}

type MemoryAndSkills = Omit<Learning, "prompts" | "tools">;

/** Changes that are looked at for the age of an entry. */
const mostRevisions = 200;

/** A file that cannot be read is no reason not to answer: the model is told so in its place. */
async function remembered(
  { revisions }: Store,
  { memoryFiles: places, files }: MemoryAndSkills,
  cwd: string,
): Promise<string> {
  const sections = (await places(cwd)).map(async (place) => {
    const { file } = place;
    const rows = await revisions.list({ file, states: ["active"], limit: mostRevisions });
    const since = new Map([...entryOrigins(rows)].map(([entry, row]) => [entry, activeSince(row)]));
    return await files.read(file).then(
      (text) => ({ ...place, since, text }),
      (error: Error) => ({ ...place, since, text: undefined, trouble: error.message }),
    );
  });
  return memoryPrompt(await Promise.all(sections), scan);
}

/** Bytes that memory and the index share, and what the index has in any case. */
const indexBytes = { shared: 5632, least: 512, most: 3072 } as const;

async function indexOf(
  { learnedUses }: Store,
  skills: Skills,
  cwd: string,
  memories: string,
): Promise<string> {
  const [all, uses] = await Promise.all([skills.all(cwd), learnedUses.sums("skill")]);
  const left = indexBytes.shared - Buffer.byteLength(memories);
  const room = Math.min(indexBytes.most, Math.max(indexBytes.least, left));
  return skillIndex(all.skills, uses, room, (text) => (scan(text) === undefined ? undefined : hidden));
}

const hidden = "[left out: looks like an instruction to the agent]";

async function learningTools(
  { config, store, isReview }: LearningDeps,
  memoryAndSkills: MemoryAndSkills,
  seen: SeenSkills,
): Promise<readonly Tool[]> {
  const [remembering, listing, viewing, managing] = await Promise.all([
    import("../../learning/memory/memory-tool.ts"),
    import("../../learning/skills/skills-list-tool.ts"),
    import("../../learning/skills/skill-view-tool.ts"),
    import("../../learning/skills/skill-manage-tool.ts"),
  ]);
  const mode = config.learning.mode === "propose" ? "propose" : "auto";
  const ruleOf = ({ turn }: Pick<ToolContext, "turn">): WriteRule =>
    isReview(turn) ? { by: "review", mode } : { by: "agent", mode: "auto" };
  const parts = { ...memoryAndSkills, seen, ruleOf, revisions: store.revisions, uses: store.learnedUses };
  const memory = targetsOf(config).size === 0 ? [] : [remembering.memoryTool(parts)];
  const { paths, skills } = config;
  const about = [
    listing.skillsListTool(memoryAndSkills.skills),
    viewing.skillViewTool(parts),
    managing.skillManageTool({ ...parts, root: paths.skills }),
  ];
  return [...memory, ...(skills.enabled ? about : [])] as readonly Tool[];
}
