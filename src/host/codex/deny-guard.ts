import { fileURLToPath } from "node:url";
import { inspect } from "../../approvals/policy/danger.ts";
import { deniedBy } from "../../approvals/policy/deny-list.ts";
import { isPlainObject } from "../../core/json.ts";
import { ownCode, ownProgram } from "../../lib/own-files.ts";
import type { Guard } from "../../runtimes/codex/process/guards.ts";

export type DenyList = { readonly deny: readonly string[]; readonly home: string };

/** Lets codex look at the deny list before each command, with the same eyes as the loop. */
export function denyGuard(list: DenyList): Guard {
  const given = Buffer.from(JSON.stringify(list)).toString("base64url");
  const program = fileURLToPath(ownProgram("./deny-guard.child.ts", import.meta.url));
  const words = [process.execPath, program, given].map(quoted).join(" ");
  // Codex goes on after any other exit code: a check that fails is a No as well.
  return { matcher: "^Bash$", command: `${words} || exit 2` };
}

/** What it is made of. It runs outside of codex's sandbox, so nothing in the sandbox may write there. */
export const guardPrograms = (): readonly string[] => [...ownCode(), process.execPath];

const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** Why the command of a call may not run. `call`: what codex tells of it. */
export function whyDenied(call: unknown, { deny, home }: DenyList): string | undefined {
  const { tool_input: input, cwd } = isPlainObject(call) ? call : {};
  const command = isPlainObject(input) ? input["command"] : undefined;
  if (typeof command !== "string")
    return "What codex tells of this command has changed, so it cannot be checked.";
  const context = { cwd: typeof cwd === "string" ? cwd : "/", home, guarded: [] };
  const { inspected, cut } = inspect(command, context);
  const glob = deniedBy(command, inspected, deny);
  if (glob !== undefined) return `The deny list of the person says no (${glob}): ${command}`;
  return cut ? "It is too long or too deeply nested to be checked; split it up." : undefined;
}
