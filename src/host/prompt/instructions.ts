import type { Session } from "../../core/session.ts";
import type { AgentDeps } from "../../agent/index.ts";
import { cutMiddle } from "../../tools/cut-middle.ts";
import type { LearnedPart, LearnedPrompts } from "./learned-prompt.ts";
import { projectAt, textOf } from "./project-context.ts";

const persona = `You are Talaria, a personal agent. You help the person you talk to with their work on this machine.
Use the tools you have instead of guessing. Say plainly what you did, what you did not do, and why.`;

/** A persona longer than this would crowd out the conversation. */
const maxSoulChars = 20_000;

/** Sessions whose instructions are remembered; one that comes back after so many others is read anew. */
const maxRemembered = 200;

/** What instructions are made of. `ownPersona`: the person has written one. */
export type InstructionParts = {
  readonly persona: string;
  readonly ownPersona: boolean;
  readonly environment: string;
  readonly project: string;
};

/** With what is remembered, part by part. `news`: what each turn is told besides. */
export type PreviewParts = InstructionParts & {
  readonly learned: readonly LearnedPart[];
  readonly news: readonly string[];
};

type UnsavedSession = Pick<Session, "cwd" | "createdAt"> & Partial<Pick<Session, "audience">>;

export type Preparation = AgentDeps["prepare"] & {
  /** What the next turn is told, without settling it. Not a `Session`: one that does not exist yet. */
  preview(session: Session | UnsavedSession): Promise<PreviewParts>;
};

/**
 * What the model is told before the conversation: who it is, where it works, what is remembered, and what the project
 * asks of helpers. It is made with a session's first turn here and stays the same to the byte, so that the provider's
 * prompt cache holds.
 */
export function preparation(soulFile: string, learned: LearnedPrompts = nothingLearned): Preparation {
  const frozen = new Map<string, Promise<InstructionParts>>();
  const prepare: AgentDeps["prepare"] = async (session, choices, found) => {
    const { audience } = session;
    // What is remembered is the owner's, and what a folder says is for those who may read it.
    const context = choices.context !== false && audience !== "guests";
    const memory = choices.memory !== false && audience === "owner";
    const key = keyOf(session, context);
    const known = frozen.get(key) ?? gather(soulFile, session, context);
    // Put at the end again: the first one is the one that was not used for the longest time.
    frozen.delete(key);
    frozen.set(key, known);
    for (const oldest of frozen.keys()) if (frozen.size > maxRemembered) frozen.delete(oldest);
    const [parts, { frozen: learnedText, news }] = await Promise.all([
      known,
      memory ? learned.of(session, found) : nothing,
    ]);
    return {
      instructions: joined(parts, learnedText),
      project: parts.project,
      context: news,
    };
  };
  const preview: Preparation["preview"] = async (session) => {
    const known = "id" in session ? frozen.get(keyOf(session, true)) : undefined;
    const { audience = "owner" } = session;
    const isTold = audience === "owner";
    const [parts, remembered, news] = await Promise.all([
      known ?? gather(soulFile, session, audience !== "guests"),
      isTold ? learned.preview(session) : [],
      isTold && "id" in session ? learned.news(session) : [],
    ]);
    return { ...parts, learned: remembered, news };
  };
  return Object.assign(prepare, { preview });
}

const joined = ({ persona: own, environment: where }: InstructionParts, learnedText: string): string =>
  [own, where, learnedText].filter((text) => text !== "").join("\n\n");

/** What a turn would be told with these parts. */
export const instructionsOf = (parts: PreviewParts): string =>
  joined(parts, parts.learned.map(({ text }) => text).join("\n\n"));

const nothing: Awaited<ReturnType<LearnedPrompts["of"]>> = { frozen: "", news: [] };
const nothingLearned: LearnedPrompts = {
  toldNothing: () => true,
  of: async () => nothing,
  news: async () => [],
  preview: async () => [],
};

const keyOf = ({ id, cwd }: Session, context: boolean): string => JSON.stringify([id, cwd, context]);

async function gather(
  soulFile: string,
  session: UnsavedSession,
  context: boolean,
): Promise<InstructionParts> {
  const [soul, project] = await Promise.all([textOf(soulFile), projectAt(session.cwd)]);
  return {
    persona: soul === "" ? persona : cutMiddle(soul, maxSoulChars),
    ownPersona: soul !== "",
    environment: environment(session, project.root),
    project: context ? project.asks : "",
  };
}

/** The day is that on which the session began: the clock would change the text, and with it the prompt cache. */
const environment = ({ cwd, createdAt, audience }: UnsavedSession, root: string | undefined): string =>
  [
    ...(audience === "guests" ? [] : place(cwd, root)),
    `This conversation began on ${new Date(createdAt).toISOString().slice(0, 10)} (UTC).`,
  ].join("\n");

const place = (cwd: string, root: string | undefined): readonly string[] => [
  `Working folder: ${cwd}`,
  root === undefined ? "It is not in a git repository." : `Git repository: ${root}`,
  `Operating system: ${systems[process.platform] ?? process.platform} (${process.arch})`,
];

const systems: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  linux: "Linux",
  darwin: "macOS",
  win32: "Windows",
};
