import type { Choice } from "../core/asking.ts";
import type { StoredApproval } from "../core/ledger.ts";
import { type Caller, type Principal, isSamePerson } from "../core/principal.ts";

/**
 * Why this one may not decide; undefined when they may. Only the owner allows anything: what leaves the sandbox has the
 * owner's own rights on this machine, whatever it looks like. A member may refuse what their own turn wants. A program
 * whose key the owner has made for it (scope `approve`) answers what its own turns ask, and makes no rule that stays.
 */
export function whyMayNotAnswer(
  by: Caller,
  choice: Choice,
  { asker, choices }: Pick<StoredApproval, "asker" | "choices">,
): string | undefined {
  if (choice === "deny" && by.role === "member" && isSamePerson(by, asker)) return undefined;
  if (by.role !== "owner" && !answersForItself(by, asker)) return "only the owner may answer";
  if (choice === "deny") return undefined;
  if (!choices.includes(choice))
    return `"${choice}" cannot be chosen here; choose one of: ${choices.join(", ")}`;
  if (choice === "always" && (by.role !== "owner" || !by.local))
    return "a rule that stays can be made only at the machine itself";
  return undefined;
}

/** What is asked for is words and no permission: whoever is asked may give them, and the owner. `asker`: if it is known here. */
export function whyMayNotReply(by: Caller, asker: Principal | undefined): string | undefined {
  if (by.role === "owner" || (asker !== undefined && answersForItself(by, asker))) return undefined;
  if (by.role !== "program" && asker !== undefined && isSamePerson(by, asker)) return undefined;
  return "somebody else is asked, and only the owner may answer for them";
}

const answersForItself = (by: Caller, asker: Principal): boolean =>
  by.role === "program" && by.scopes?.includes("approve") === true && isSamePerson(by, asker);
