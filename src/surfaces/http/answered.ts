import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Answered } from "../../core/asking.ts";
import { errorBody } from "./failures.ts";
import type { Env } from "./visit.ts";

export const isAnswer = (operation: string): boolean =>
  operation === "approvals.answer" || operation === "inquiries.reply";

/** What became of an answer. One without an effect is no success, whoever looks at the status alone. */
export function answeredWith(c: Context<Env>, answered: Answered): Response {
  if (answered.outcome === "taken") return c.json(answered);
  const { status, message, next } = without(answered);
  return c.json({ ...answered, ...errorBody({ code: answered.outcome, message, next }, status) }, status);
}

type Without = {
  readonly status: ContentfulStatusCode;
  readonly message: string;
  readonly next: string;
};

function without(answered: Exclude<Answered, { readonly outcome: "taken" }>): Without {
  switch (answered.outcome) {
    case "late":
      return {
        status: 409,
        message: "Somebody or something was first.",
        next: "`decision` has what was decided.",
      };
    case "refused":
      return {
        status: 403,
        message: `The answer was not taken: ${answered.why}.`,
        next: "Answer with one of its `choices`, or leave it to the owner.",
      };
    case "unknown":
      return { status: 404, message: "Nobody asks that.", next: "approvals.list has what is asked." };
  }
}
