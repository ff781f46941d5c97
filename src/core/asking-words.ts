import type { ApprovalState, Choice, InquiryState } from "./asking.ts";

/** What a person may say to a question, as every surface offers it. */
export const choiceWords: Readonly<Record<Choice, string>> = {
  once: "allow once",
  session: "allow for this session",
  always: "always allow exactly this",
  deny: "deny",
};

/** What became of a question, in one line. `undefined`: it is still open. */
export function decidedText({ decision }: Pick<ApprovalState, "decision">): string | undefined {
  if (decision === undefined) return undefined;
  const who = decision.by === undefined ? "" : ` by ${decision.by}`;
  if (decision.why === "person")
    return decision.choice === "deny" ? `denied${who}` : `${choiceDone[decision.choice]}${who}`;
  return decision.reason ?? `not done: ${decision.why}`;
}

const choiceDone: Readonly<Record<Exclude<Choice, "deny">, string>> = {
  once: "allowed once",
  session: "allowed for this session",
  always: "always allowed from now on; `talaria approvals revoke` takes it back",
};

/** Why an inquiry is closed; nothing to say when it was answered. */
export const closedTexts: Readonly<Record<NonNullable<InquiryState["closed"]>, string | undefined>> = {
  answered: undefined,
  declined: "not answered",
  timeout: "nobody answered in time",
  withdrawn: "question withdrawn: the turn has ended",
};
