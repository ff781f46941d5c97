import type { Choice } from "../core/asking.ts";
import { isExact } from "./action-hash.ts";
import type { PendingQuestion } from "./case.ts";

/** An action that is not known exactly, or that can be changed after the yes, can be allowed only once. */
export function offeredAnswers({ verdict, question, tie }: PendingQuestion): readonly Choice[] {
  return isExact(question) && (tie === undefined || "bound" in tie)
    ? verdict.choices
    : verdict.choices.filter((choice) => choice === "once" || choice === "deny");
}
