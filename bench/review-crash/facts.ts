import type { Call } from "../poison/obedient-model.ts";

/** The files that reviews and a hand write at the same time. */
export const files = { memory: "memories/USER.md", skill: "skills/facts/SKILL.md" } as const;

export const firstTexts = {
  [files.memory]: "The hand wrote 0.\n",
  [files.skill]:
    "---\nname: facts\ndescription: How facts are kept.\n---\n\nThe hand wrote 0.\n\nFact number 0 is kept.\nEND\n",
} as const;

/** What the person says; all that reviews write rests on it, clause by clause. */
export const sentence = (n: number): string =>
  `Fact number ${n} is kept in mind. Fact number ${n} is kept. END.`;
export const numberIn = (said: string): number => Number(/Fact number (\d+)/.exec(said)?.[1] ?? -1);

/** What a review does about it. */
export const deeds = (n: number): readonly Call[] => [
  { tool: "memory", args: { action: "add", target: "user", content: `Fact number ${n} is kept in mind.` } },
  { tool: "skill_view", args: { name: "facts" } },
  {
    tool: "skill_manage",
    args: {
      action: "patch",
      name: "facts",
      old_text: "\nEND",
      new_text: `\nFact number ${n} is kept.\nEND`,
    },
  },
];

/** Saves of the hand carry a number, and take out old facts when there are many. */
export function byHand(text: string, n: number): string {
  const facts = text.match(fact) ?? [];
  const old = new Set(facts.slice(0, Math.max(0, facts.length - mostFacts)));
  return text
    .replace(/The hand wrote \d+\./, `The hand wrote ${n}.`)
    .replaceAll(fact, (found) => (old.has(found) ? "" : found));
}

const mostFacts = 60;
const fact = /(?:§\n)?Fact number \d+ is kept[^\n]*\n/g;

export const handIn = (text: string): number => Number(/The hand wrote (\d+)\./.exec(text)?.[1] ?? -1);

/** What is wrong with a file; nothing if it is whole. */
export function tears(file: string, text: string): readonly string[] {
  const whole = file === files.memory ? wholeMemory : wholeSkill;
  return whole.test(text) ? [] : [`torn: ${file}: ${JSON.stringify(text.slice(-200))}`];
}

const wholeMemory = /^The hand wrote \d+\.\n(?:§\nFact number \d+ is kept in mind\.\n)*$/;
const wholeSkill =
  /^---\nname: facts\ndescription: How facts are kept\.\n---\n\nThe hand wrote \d+\.\n\n(?:Fact number \d+ is kept\.\n)+END\n$/;
