import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TurnChoices } from "../core/host.ts";
import type { Session } from "../core/session.ts";
import type { Prepared } from "../agent/index.ts";

const persona = `You are Talaria, a personal agent. You help the person you talk to with their work on this machine.
Use the tools you have instead of guessing. Say plainly what you did, what you did not do, and why.`;

/** More than this of a project's own instructions would crowd out the conversation. */
const maxProjectChars = 16_000;

/** What the model is told before the conversation: who it is, where it works, and what the project asks of helpers. */
export async function prepare(soulFile: string, session: Session, choices: TurnChoices): Promise<Prepared> {
  const [soul, project] = await Promise.all([
    textOf(soulFile),
    choices.context === false ? "" : textOf(join(session.cwd, "AGENTS.md")),
  ]);
  return {
    instructions: `${soul === "" ? persona : soul}\n\nWorking folder: ${session.cwd}`,
    project: project.slice(0, maxProjectChars),
    context: [],
  };
}

const textOf = (file: string): Promise<string> =>
  readFile(file, "utf8").then(
    (text) => text.trim(),
    () => "",
  );
