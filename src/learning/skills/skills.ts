import { listOf, parsedJson } from "../../core/json.ts";
import { realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { Refusal } from "../../core/host.ts";
import type { MetaTable } from "../../store/store.ts";
import { distrustProject, isTrusted, projectRoots, trustProject } from "./project-trust.ts";
import { type HeadCache, headCache } from "./head-cache.ts";
import { type FoundSkills, skillsIn } from "./skill-folders.ts";
import { skillFile } from "./skill-names.ts";
import type { BadSkill, Skill, SkillSet } from "./skill.ts";

export type SkillSources = {
  /** The person's own folder with skills. */
  readonly home: string;
  /** Further ones, which are only read. */
  readonly external: readonly string[];
  /** The folder of the project that a working folder belongs to. */
  readonly projectOf: (cwd: string) => Promise<string>;
  /** Names of all tools and toolsets that are on. */
  readonly tools: () => Promise<ReadonlySet<string>>;
  readonly meta: MetaTable;
  /** Where the beginnings of many skills are kept; it may be lost. */
  readonly cacheFile?: string;
  readonly platform?: NodeJS.Platform;
  /** Of commands that skills have models run. */
  readonly env?: Readonly<Record<string, string | undefined>>;
};

/** The skills that there are for work in a folder. */
export interface Skills {
  all(cwd: string): Promise<SkillSet>;
  /** `undefined`: there is none that can be used. */
  find(name: string, cwd: string): Promise<Skill | undefined>;
  /** From now on the skills of this project are used as they are. Rejects with a Refusal. */
  trust(folder: string): Promise<readonly Skill[]>;
  /** Takes that back. Gives the folder of the project. Rejects with a Refusal if they were not trusted. */
  distrust(folder: string): Promise<string>;
  isPinned(name: string): Promise<boolean>;
  pinned(): Promise<ReadonlySet<string>>;
  pin(name: string, pinned: boolean): Promise<void>;
}

const pinKey = "skills.pinned";

export function openSkills(sources: SkillSources): Skills {
  const { meta } = sources;
  const cache = headCache(sources.cacheFile);
  const all = async (cwd: string): Promise<SkillSet> => {
    const lists = [await skillsIn(sources.home, "home", cache)];
    for (const folder of sources.external) lists.push(await externalSkills(folder, cache));
    const project = await sources.projectOf(cwd);
    const theirs = await projectSkills(sources, project, cache);
    const trusted = theirs.skills.length > 0 && (await isTrusted(meta, project, theirs.skills));
    if (trusted) lists.push(theirs);
    const tools = await sources.tools();
    const { skills, bad } = firstOfEachName(lists);
    return {
      skills: skills.map((skill) =>
        withUnset(withheld(skill, tools, sources.platform ?? process.platform), sources.env ?? process.env),
      ),
      bad: trusted ? bad : [...bad, ...theirs.bad],
      untrusted: trusted ? [] : theirs.skills,
    };
  };
  const pinned = async (): Promise<ReadonlySet<string>> => readNames(await meta.get(pinKey));
  return {
    all,
    async find(name, cwd) {
      return (await all(cwd)).skills.find((skill) => skill.name === name && skill.withheld === undefined);
    },
    async trust(folder) {
      const project = await sources.projectOf(folder);
      const { skills } = await projectSkills(sources, project, cache);
      if (skills.length === 0) throw nothingToTrust(project);
      if (!(await trustProject(meta, project, skills))) throw tooMuch(project);
      return skills;
    },
    async distrust(folder) {
      const project = await sources.projectOf(folder);
      if (await distrustProject(meta, project)) return project;
      throw new Refusal("refused", `The skills of ${project} are not trusted, so they are not used.`, "");
    },
    pinned,
    isPinned: async (name) => (await pinned()).has(name),
    async pin(name, on) {
      const rest = [...(await pinned())].filter((each) => each !== name);
      await meta.set(pinKey, JSON.stringify(on ? [...rest, name] : rest));
    },
  };
}

/** One that somebody has set and that is not there is a mistake, and said so. */
async function externalSkills(folder: string, cache: HeadCache): Promise<FoundSkills> {
  const isFolder = (await stat(folder).catch(() => undefined))?.isDirectory() === true;
  if (isFolder) return skillsIn(folder, "external", cache);
  const reason = "there is no such folder, and skills.external_dirs names it";
  return { skills: [], bad: [{ path: folder, source: "external", reason }] };
}

/** A project whose folder is that of a profile has no skills of its own there. */
async function projectSkills(
  { home, external }: SkillSources,
  project: string,
  cache: HeadCache,
): Promise<FoundSkills> {
  const all = await projectRoots(project);
  if (all.length === 0) return { skills: [], bad: [] };
  const known = new Set(await Promise.all([home, ...external].map(realPath)));
  const roots = all.filter((root) => !known.has(root));
  return firstOfEachName(await Promise.all(roots.map((root) => skillsIn(root, "project", cache))));
}

const realPath = (path: string): Promise<string> => realpath(path).catch(() => path);

/** Of a name that is there twice the first one counts. */
function firstOfEachName(lists: readonly FoundSkills[]): FoundSkills {
  const names = new Map<string, Skill>();
  const bad: BadSkill[] = [];
  for (const list of lists) {
    bad.push(...list.bad);
    for (const skill of list.skills) {
      const first = names.get(skill.name);
      if (first === undefined) names.set(skill.name, skill);
      if (first !== undefined) bad.push(secondOf(skill, first));
    }
  }
  return { skills: [...names.values()], bad };
}

const secondOf = ({ folder, source }: Skill, first: Skill): BadSkill => ({
  path: join(folder, skillFile),
  source,
  reason: `the one of this name in ${first.folder} comes first`,
});

function withheld(skill: Skill, tools: ReadonlySet<string>, platform: NodeJS.Platform): Skill {
  const { platforms, requires } = skill;
  const names = systems[platform] ?? [platform];
  if (platforms.length > 0 && !platforms.some((name) => name === "all" || names.includes(name)))
    return { ...skill, withheld: `it is for ${platforms.join(", ")}` };
  const missing = requires.filter((name) => !tools.has(name));
  return missing.length === 0 ? skill : { ...skill, withheld: `it needs ${missing.join(", ")}` };
}

function withUnset(skill: Skill, env: NonNullable<SkillSources["env"]>): Skill {
  const unset = skill.environment.filter((name) => (env[name] ?? "") === "");
  return unset.length === 0 ? skill : { ...skill, unset };
}

const systems: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["macos", "darwin", "mac"],
  linux: ["linux"],
  win32: ["windows", "win32"],
};

const readNames = (text = "[]"): ReadonlySet<string> =>
  new Set(listOf(parsedJson(text)).filter((name) => typeof name === "string"));

const nothingToTrust = (project: string): Refusal =>
  new Refusal(
    "not_found",
    `There are no skills in ${project}.`,
    "A project keeps them in .talaria/skills, .agents/skills or .codex/skills.",
  );

const tooMuch = (project: string): Refusal =>
  new Refusal(
    "refused",
    `The skills of ${project} have more than 500 files or 5 MiB, or some cannot be read, so nobody can vouch for them.`,
    "Remove what does not belong there, or copy the skills you want into your own folder.",
  );
