import { fileURLToPath } from "node:url";

/**
 * What is started. `pi` is another agent's one-shot, `driver` the least that gets an answer from codex, `exec` codex's own
 * one-shot, `chat` the screen of a person.
 */
export const startNames = [
  "node",
  "version",
  "help",
  "loop",
  "pi",
  "codex",
  "driver",
  "exec",
  "chat",
] as const;
export type StartName = (typeof startNames)[number];

/** From the start of the program, in milliseconds. */
export type Run = {
  /** To its end; of the chat: to the first picture with the prompt in it. */
  readonly ms: number;
  /** Until it had said what it should. */
  readonly saidMs?: number;
  /** Of the chat: until it says which model and runtime answer. */
  readonly readyMs?: number;
  /** Processor time of it and of all that it started and waited for. */
  readonly cpuMs: number;
  /** It said what it should. */
  readonly done: boolean;
};

export type Program = {
  readonly command: string;
  readonly args: readonly string[];
  /** What it writes when all is well. */
  readonly says: RegExp;
};

/** What the model answers. */
export const answer = "Here I am, and there is nothing else to say.";

export const answered = new RegExp(`^\\s*${answer}\\s*$`);

/** The chat has no words and no end of its own: see chat.ts. The others need more than their names: see others.ts. */
export type Plain = Exclude<StartName, "chat" | "driver" | "pi">;

export function programs(codex: string): Readonly<Record<Plain, Program>> {
  return {
    node: { command: process.execPath, args: ["-e", "0"], says: /^$/ },
    version: own(["--version"], /^\d+\.\d+\.\d+\n$/),
    help: own(["--help"], /^Usage: talaria/),
    loop: own(["run", "hi"], answered),
    codex: own(["run", "--runtime", "codex", "hi"], answered),
    exec: { command: codex, args: ["exec", "--skip-git-repo-check", "hi"], says: answered },
  };
}

const own = (args: readonly string[], says: RegExp): Program => ({ command: talaria, args, says });

export const talaria = fileURLToPath(new URL("../../bin/talaria", import.meta.url));
