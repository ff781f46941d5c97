/** The oldest codex whose protocol was tried, and the newest. */
const minimum = [0, 125, 0] as const;
const tested = [0, 166] as const;

export const minimumVersion = minimum.join(".");
export const testedVersion = `${tested.join(".")}.x`;

export type VersionVerdict =
  | { readonly kind: "fits"; readonly version: string }
  | { readonly kind: "newer"; readonly version: string; readonly warning: string }
  | { readonly kind: "old"; readonly version: string }
  | { readonly kind: "none" };

/** Judges what `codex --version` printed. */
export function judgeVersion(output: string): VersionVerdict {
  const numbers = numbersIn(output);
  if (numbers === undefined) return { kind: "none" };
  const version = numbers.join(".");
  if (compare(numbers, minimum) < 0) return { kind: "old", version };
  if (compare(numbers.slice(0, 2), tested) <= 0) return { kind: "fits", version };
  return {
    kind: "newer",
    version,
    warning: `codex ${version} is newer than the newest one this was tested with (${testedVersion}). If something goes wrong, try that one: npm install -g @openai/codex@${tested.join(".")}.0`,
  };
}

/** What the oldest accepted codex lacks, with the first version that has it; each was tried on both sides of it. */
const since = {
  /** `turn/start.additionalContext`. */
  turnContext: [0, 135],
  /** `turn/start.clientUserMessageId`, which comes back as the `clientId` of the user's message. */
  clientIds: [0, 136],
  /** `thread/start` takes a namespace with tools in it. All versions take tools that name their namespace. */
  nestedTools: [0, 141],
  /** `agents.enabled`. Before, the settings have only roles under `agents`, and codex does not start with it. */
  agentsSwitch: [0, 145],
  /** The settings of a thread may name a profile of permissions, also when it is resumed. */
  profiles: [0, 150],
  /** The journal keeps calls, and the ids that items had while they ran. Before, it has words alone, named anew. */
  wholeJournal: [0, 151],
  /** A thread that another process resumes has the sandbox and the approval policy that it was started with. */
  keepsLimits: [0, 166],
} as const;

export type CodexAbility = keyof typeof since;

/** By its version, or a text that begins with it, such as the user agent. One that does not say is taken for new. */
export function hasAbility(ability: CodexAbility, version: string): boolean {
  const numbers = numbersIn(version);
  return numbers === undefined || compare(numbers, since[ability]) >= 0;
}

const numbersIn = (text: string): readonly number[] | undefined =>
  /(?<![\d.])(\d{1,9})\.(\d{1,9})\.(\d{1,9})/.exec(text)?.slice(1).map(Number);

function compare(a: readonly number[], b: readonly number[]): number {
  const differences = b.map((number, index) => (a[index] ?? 0) - number);
  return differences.find((difference) => difference !== 0) ?? 0;
}
