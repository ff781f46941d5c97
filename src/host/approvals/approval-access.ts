import type { PolicySettings } from "../../approvals/policy/policy.ts";
import type { Handlers } from "../../core/calls.ts";
import { Refusal } from "../../core/host.ts";
import { type ApprovalId, type GrantId } from "../../core/ids.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Store } from "../../store/store.ts";

/** The ledger and the rules, for people. */
export function approvalAccess(
  store: Pick<Store, "approvals" | "grants">,
  clock: Clock,
  rules: () => Promise<readonly string[]>,
): Handlers<`approvals.${"list" | "get" | "grants" | "revoke" | "rules"}`> {
  return {
    "approvals.list": ({ limit, pending }) =>
      store.approvals.list({ limit, ...(pending === true ? { state: "pending" as const } : {}) }),
    "approvals.get": async ({ id }) => one(await store.approvals.find(id), id, "question", "list"),
    "approvals.grants": () => store.grants.list({ at: clock.now() }),
    async "approvals.revoke"({ id: prefix }) {
      const grant = one(await store.grants.find(prefix), prefix, "rule", "rules");
      await store.grants.revoke(grant.id, clock.now());
      return grant;
    },
    "approvals.rules": rules,
  };
}

function one<Row extends { readonly id: ApprovalId | GrantId }>(
  rows: readonly Row[],
  prefix: string,
  what: string,
  where: string,
): Row {
  const [row, ...more] = rows;
  const exact = rows.find(({ id }) => id === prefix);
  if (exact !== undefined) return exact;
  const next = `See \`talaria approvals ${where}\`.`;
  if (prefix === "" || row === undefined)
    throw new Refusal("not_found", `There is no ${what} ${JSON.stringify(prefix)}.`, next);
  if (more.length > 0)
    throw new Refusal(
      "not_found",
      `Several ids begin with ${JSON.stringify(prefix)}.`,
      `${next} Give more of the id.`,
    );
  return row;
}

/** So many questions back a code is looked for. */
const codesAmong = 200;

/** The question whose id ends like this: of those that wait, else of those before, so that whoever is late hears it. */
export async function approvalByCode(
  approvals: Pick<Store["approvals"], "list">,
  code: string,
): Promise<ApprovalId | undefined> {
  const end = code.trim().toLowerCase();
  if (!/^[0-9a-z]{6,}$/.test(end)) return undefined;
  const rows = (await approvals.list({ limit: codesAmong })).filter(({ id }) => id.endsWith(end));
  const waiting = rows.filter(({ state }) => state === "pending");
  if (waiting.length > 1)
    throw new Refusal(
      "usage",
      `Several questions have the code ${end}.`,
      "Answer with a button, or at the machine.",
    );
  return (waiting[0] ?? rows[0])?.id;
}

/** The rules as sentences. `sandbox` says what commands of the loop run in. */
export function rulesText(
  settings: PolicySettings,
  sandbox: { readonly text: string; readonly gaps: readonly string[] },
): readonly string[] {
  const { mode, securityMode, deny } = settings;
  const neverAsks = mode === "off" || securityMode === "unrestricted";
  return [
    neverAsks
      ? "Nothing asks: approvals.mode is off or terminal.security_mode is unrestricted."
      : "Asks before: commands outside the sandbox, dangerous commands, writes outside the working folder, more permissions, tools that reach other systems.",
    neverAsks
      ? ""
      : securityMode === "approval-required"
        ? "Writes ask too: terminal.security_mode is approval-required."
        : "Does not ask: reading, and what stays inside the sandbox and the working folder.",
    mode === "smart" && !neverAsks
      ? "approvals.mode is smart: of these, a small model may allow one action of low risk, once, and says so. Never what deletes, cannot be taken back, or cannot be judged by reading it."
      : "",
    `Commands of the loop ${sandbox.text}.`,
    ...(sandbox.gaps.length === 0
      ? []
      : [`The sandbox does not keep out everything: ${sandbox.gaps.join(" ")}`]),
    "On codex: codex runs commands in its own sandbox and asks only about deletions it knows, leaving the sandbox, patches outside the folder and unannotated MCP tools. What it does not ask about is bounded by its sandbox, not by these rules.",
    "Never, whoever allows it: wiping disks and file systems, changing Talaria's or codex's own settings and keys, switching sandbox or approvals off.",
    ...(deny.length === 0
      ? ["Your deny list (approvals.deny) is empty."]
      : [`Never, by your deny list: ${deny.join(" · ")}`, denyOnCodex]),
  ].filter((line) => line !== "");
}

const denyOnCodex =
  "On codex your deny list is looked at before each command, also in its sandbox. Not looked at is what it types into a terminal that is already open. Where codex does not confirm that it looks, a session says so when it starts.";
