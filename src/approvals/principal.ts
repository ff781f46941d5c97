import type { Choice } from "../core/asking.ts";
import type { StoredApproval } from "../core/ledger.ts";
import { type Principal, isSamePerson } from "../core/principal.ts";

/**
 * Why this one may not decide; undefined when they may. The owner always may. A member may say no to what their own turn
 * wants, and yes, once, to what has nothing in it to look at. Nobody else allows anything.
 */
export function whyMayNotAnswer(
  by: Principal,
  choice: Choice,
  { asker, choices, labels, question }: Pick<StoredApproval, "asker" | "choices" | "labels" | "question">,
): string | undefined {
  if (by.role !== "owner") {
    if (by.role !== "member") return "only the owner and members may answer";
    if (!isSamePerson(by, asker)) return "somebody else's turn asks, and only the owner may answer for it";
    const isGrave = question.effect === "destructive" || question.action.kind === "permissions";
    if (choice !== "deny" && (isGrave || labels.length > 0)) return "only the owner may allow this";
    if (choice !== "deny" && choice !== "once") return "only the owner may allow more than this one time";
  }
  if (choice === "deny") return undefined;
  if (!choices.includes(choice))
    return `"${choice}" cannot be chosen here; choose one of: ${choices.join(", ")}`;
  if (choice === "always" && !by.local) return "a rule that stays can be made only at the machine itself";
  return undefined;
}

/** What is asked for is words and no permission: whoever is asked may give them, and the owner. `asker`: if it is known here. */
export function whyMayNotReply(by: Principal, asker: Principal | undefined): string | undefined {
  if (by.role === "owner") return undefined;
  if (by.role !== "program" && asker !== undefined && isSamePerson(by, asker)) return undefined;
  return "somebody else is asked, and only the owner may answer for them";
}
