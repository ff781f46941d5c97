import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** What switches on what codex does by itself, by its version. The oldest has another table by the name of agents. */
export const ownWills = {
  goals: ["features.goals=true"],
  // Not the second kind as well: it would take the place of the one that models of the classic kind call.
  agents: ["agents.enabled=true", "features.multi_agent=true"],
  oldAgents: ["features.multi_agent=true"],
} as const;

/**
 * A codex that has these settings whatever Talaria tells it: of two that have the same name, codex takes the last. What
 * codex invents next has no switch of ours either.
 */
export const willfulCodex = (folder: string, binary: string, settings: readonly string[]): Promise<string> =>
  codexAround(
    folder,
    binary,
    `exec "${binary}" "$@" ${settings.map((setting) => `-c ${setting}`).join(" ")}`,
  );

/** A program that is this codex, but for how its app-server is run. */
export async function codexAround(folder: string, binary: string, appServer: string): Promise<string> {
  const file = join(folder, "codex");
  await writeFile(file, `#!/bin/sh\n[ "$1" = app-server ] || exec "${binary}" "$@"\n${appServer}\n`);
  await chmod(file, 0o755);
  return file;
}
