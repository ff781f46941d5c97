import type { Question } from "../core/asking.ts";
import type { StoredGrant } from "../core/ledger.ts";
import { isExact } from "./action-hash.ts";
import type { Case } from "./case.ts";
import { boundOf, changedFiles } from "./tie.ts";

/** `unusable`: there is one for the same words, and why it does not do. */
export type StandingYes = { readonly grant?: StoredGrant; readonly unusable?: string };

/** A grant for exactly this action, with the files it was given for. */
export async function standingYes(one: Case): Promise<StandingYes> {
  const { shared, turn, question, hash, tie, verdict } = one;
  // Without exactly known content the hash would stand for other actions too.
  if (!verdict.grantable || !isExact(question)) return {};
  const at = shared.clock.now();
  const bound = boundOf(tie);
  const alone = turn.attended === "none" && leavesSandbox(question, verdict.labels);
  if (tie === undefined || bound !== undefined) {
    const grant = await shared.store.grants.use({
      hash,
      session: turn.session,
      at,
      ...(bound === undefined ? {} : { bound }),
      ...(alone ? { scope: "work" } : {}),
    });
    if (grant !== undefined) return { grant };
  }
  const given = (await shared.store.grants.list({ at, hash })).find(
    (each) => each.scope === "always" || each.session === turn.session,
  );
  return given === undefined ? {} : { unusable: alone ? withoutYou : whyUnusable(given, one) };
}

/** What it does reaches beyond any fence, whoever is there. A tool is called with what was shown and nothing else. */
function leavesSandbox({ action }: Question, labels: readonly string[]): boolean {
  switch (action.kind) {
    case "command":
      return action.fence !== "sandbox";
    case "change":
      return labels.includes("outside-write") || labels.includes("sensitive-write");
    case "permissions":
      return true;
    case "tool":
      return false;
  }
}

const withoutYou = "a standing yes to leave the sandbox does not hold where nobody is";

function whyUnusable({ bound }: StoredGrant, { tie }: Case): string {
  const now = boundOf(tie);
  if (now === undefined || bound === undefined)
    return "your earlier yes was not tied to the files that this runs";
  const changed = changedFiles(bound, now);
  return `not what it was when you allowed this: ${changed.slice(0, 3).join(", ")}${changed.length > 3 ? ` and ${changed.length - 3} more` : ""}`;
}
