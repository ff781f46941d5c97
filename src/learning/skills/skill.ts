import type { ListedSkill } from "../../core/learning.ts";
import type { SkillHead } from "./skill-format.ts";

/** A skill as it stands on disk. */
export type Skill = SkillHead & {
  readonly source: ListedSkill["source"];
  /** The folder of its SKILL.md. */
  readonly folder: string;
  /** When its SKILL.md was saved last. */
  readonly modified: number;
  /** Why models are not offered it here. */
  readonly withheld?: string;
  /** What it needs in the environment and does not find there. */
  readonly unset?: readonly string[];
};

/** A sentence for whoever is to follow a skill without what it needs. Empty when nothing is missing. */
export const unsetNote = ({ unset = [] }: Pick<Skill, "unset">): string =>
  unset.length === 0
    ? ""
    : `It needs ${unset.join(", ")} in the environment, which ${unset.length === 1 ? "is" : "are"} not set: tell the person before you rely on it.`;

/** `reason`: the end of a sentence. */
export type BadSkill = {
  readonly path: string;
  readonly source: ListedSkill["source"];
  readonly reason: string;
};

export type SkillSet = {
  /** Those that can be used, each name once. */
  readonly skills: readonly Skill[];
  /** What looks like a skill and is not used. */
  readonly bad: readonly BadSkill[];
  /** Of the project, and nobody has said that they may be used. */
  readonly untrusted: readonly Skill[];
};

export const sourceWords: Readonly<Record<ListedSkill["source"], string>> = {
  home: "the person's own folder",
  external: "a folder that the person has set",
  project: "this project, trusted by the person",
};
