import type { Facts, ReadableSettings } from "./facts.ts";
import { type Finding, type Probe, fine, note, wrong } from "./probe.ts";

/** What keeps commands in, and what is asked before something happens. */
export function safetyProbes({ settings }: Facts): readonly Probe[] {
  if ("fault" in settings) return [];
  return [
    { name: "sandbox", look: async () => [await sandboxCheck(settings)], limitMs: 25_000 },
    { name: "approvals", look: async () => approvalChecks(settings) },
  ];
}

async function sandboxCheck({ loaded, sandbox }: ReadableSettings): Promise<Finding> {
  const { confined, text } = await sandbox();
  if (loaded.config.terminal.securityMode === "unrestricted") {
    const next = "talaria config set terminal.security_mode auto switches it on.";
    return note("sandbox", `commands of the loop ${text}`, next);
  }
  if (confined) return fine("sandbox", `commands of the loop ${text} (tried just now)`);
  return wrong("sandbox", `commands of the loop: ${text}`, sandboxStep(text));
}

function approvalChecks({ loaded }: ReadableSettings): readonly Finding[] {
  const { approvals, terminal } = loaded.config;
  const floor =
    "Never, whoever allows it: wiping disks, changing the settings and keys of Talaria and codex.";
  if (approvals.mode === "off" || terminal.securityMode === "unrestricted") {
    const why = approvals.mode === "off" ? "approvals.mode is off" : "terminal.security_mode is unrestricted";
    const next = "talaria approvals rules says what is still held back.";
    return [note("approvals", `nothing asks, because ${why}. ${floor}`, next)];
  }
  const denied =
    approvals.deny.length === 0 ? "" : `, and never what your deny list names (${approvals.deny.length})`;
  const listed = denied === "" ? "" : "; and your deny list before each command";
  const writes = terminal.securityMode === "approval-required" ? "every write, " : "";
  return [
    fine(
      "approvals",
      `on the loop every action is looked at; ${writes}commands outside the sandbox, dangerous ones, and writes outside the folder ask first${denied}`,
    ),
    fine(
      "approvals",
      `on codex only what codex asks about is looked at: known deletions, leaving its sandbox, patches outside the folder, MCP tools${listed}. The rest is bounded by codex's sandbox, not by these rules`,
    ),
  ];
}

/** What to do where there is no sandbox, by why there is none. */
export const sandboxStep = (why: string): string =>
  why.includes("does not work here")
    ? "Let programs make user namespaces (kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns, or the limits of your container); until then every command asks."
    : "Install codex (npm install -g @openai/codex) or bubblewrap (bwrap); until then every command asks.";
