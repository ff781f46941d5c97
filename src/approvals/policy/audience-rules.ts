import type { Audience } from "../../core/principal.ts";
import type { PolicySettings } from "./policy.ts";

/** Why a session that is held with these may not run there; undefined when it may. */
export function whyNotOn(
  audience: Audience,
  runtime: string,
  { securityMode }: Pick<PolicySettings, "securityMode">,
): string | undefined {
  if (audience === "owner" || runtime === "loop") return undefined;
  if (audience === "guests")
    return `A session with guests runs on the loop alone: ${runtime} brings tools for this machine.`;
  if (securityMode !== "unrestricted") return undefined;
  return `terminal.security_mode is unrestricted, and then nothing holds ${runtime} back: a session with members runs on the loop.`;
}

/** Of all that there is, what a model can use to talk with somebody who may see and change nothing here. */
const forGuests: ReadonlySet<string> = new Set(["web_search", "web_extract", "todo", "clarify"]);

/** What others have said, and what is learned from the owner's words. */
const forOwner: ReadonlySet<string> = new Set(["session_search", "memory", "skill_manage", "cronjob"]);

/** May turns of a session that is held with these have this tool? */
export function mayHaveTool(audience: Audience, tool: string): boolean {
  switch (audience) {
    case "owner":
      return true;
    case "members":
      return !forOwner.has(tool);
    case "guests":
      return forGuests.has(tool);
  }
}
