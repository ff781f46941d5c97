import type { TurnChoices } from "../core/host.ts";
import type { Session } from "../core/session.ts";
import type { Prepared } from "../agent/index.ts";
import { cutMiddle } from "../tools/cut-middle.ts";
import { projectAt, textOf } from "./project-context.ts";

const persona = `You are Talaria, a personal agent. You help the person you talk to with their work on this machine.
Use the tools you have instead of guessing. Say plainly what you did, what you did not do, and why.`;

/** A persona longer than this would crowd out the conversation. */
const maxSoulChars = 20_000;

/** Sessions whose instructions are remembered; one that comes back after so many others is read anew. */
const maxRemembered = 1000;

/**
 * What the model is told before the conversation: who it is, where it works, and what the project asks of helpers. It is
 * made with a session's first turn here and stays the same to the byte, so that the provider's prompt cache holds.
 */
export function preparation(soulFile: string): (session: Session, choices: TurnChoices) => Promise<Prepared> {
  const frozen = new Map<string, Promise<Prepared>>();
  return (session, { context = true }) => {
    const key = JSON.stringify([session.id, session.cwd, context]);
    const known = frozen.get(key) ?? prepare(soulFile, session, context);
    // Put at the end again: the first one is the one that was not used for the longest time.
    frozen.delete(key);
    frozen.set(key, known);
    for (const oldest of frozen.keys()) if (frozen.size > maxRemembered) frozen.delete(oldest);
    return known;
  };
}

async function prepare(soulFile: string, session: Session, context: boolean): Promise<Prepared> {
  const [soul, project] = await Promise.all([textOf(soulFile), projectAt(session.cwd)]);
  const identity = soul === "" ? persona : cutMiddle(soul, maxSoulChars);
  return {
    instructions: `${identity}\n\n${environment(session, project.root)}`,
    project: context ? project.asks : "",
    context: [],
  };
}

/** The day is that on which the session began: the clock would change the text, and with it the prompt cache. */
const environment = ({ cwd, createdAt }: Session, root: string | undefined): string =>
  [
    `Working folder: ${cwd}`,
    root === undefined ? "It is not in a git repository." : `Git repository: ${root}`,
    `Operating system: ${systems[process.platform] ?? process.platform} (${process.arch})`,
    `This conversation began on ${new Date(createdAt).toISOString().slice(0, 10)} (UTC).`,
  ].join("\n");

const systems: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  linux: "Linux",
  darwin: "macOS",
  win32: "Windows",
};
