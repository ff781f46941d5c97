import type { CardTerms, Workspace } from "../../core/cards/cards.ts";
import { Refusal } from "../../core/host.ts";
import { short } from "../../core/plain-text.ts";
import { type Caller, principalOf } from "../../core/principal.ts";
import type { GrantedCommand } from "../../core/work/work.ts";
import { hostTie } from "../approvals/broker.ts";
import type { Joined } from "../operations/joined.ts";

/** What a person allows with a new card. What runs without a question again and again is allowed at the machine alone. */
export async function cardTerms(
  joined: Joined,
  {
    check,
    allow = [],
  }: { readonly check?: string | undefined; readonly allow?: readonly string[] | undefined },
  workspace: Workspace,
  caller: Caller,
): Promise<CardTerms> {
  if ((check !== undefined || allow.length > 0) && !caller.local)
    throw new Refusal(
      "refused",
      "A check, or a command that is allowed beforehand, runs without asking again: it is allowed at this machine alone.",
      "Add the card without it, or at the machine.",
    );
  const granted = await Promise.all(allow.map((command) => grantedIn(joined, command.trim(), workspace)));
  return {
    by: principalOf(caller),
    depth: 1,
    byModel: false,
    ...(check === undefined ? {} : { check }),
    ...(granted.length === 0 ? {} : { allow: granted }),
  };
}

/** Tied to the files that it means, where the card's folder is there already; else to those outside of it. */
async function grantedIn(joined: Joined, command: string, workspace: Workspace): Promise<GrantedCommand> {
  const [, folder = joined.loaded.config.paths.workspaces] =
    /^(?:folder|worktree):(.+)$/s.exec(workspace) ?? [];
  const tieOf = joined.options.seams?.tieOf ?? hostTie(joined);
  const action = { kind: "command", command, fence: "none" } as const;
  const tie = (await tieOf({ action, cwd: folder }, folder)) ?? {};
  if (!("open" in tie)) return { command, ...tie };
  throw new Refusal(
    "usage",
    `“${short(command, 80)}” cannot be allowed beforehand: ${tie.open}.`,
    "Allow a program by its path outside of the folder, or let the card do without.",
  );
}
