import type { Ask } from "../core/asking.ts";
import type { Attended } from "../core/host.ts";

/**
 * Answers for a turn that nobody watches. Everything that needs a decision is declined as "not asked", unless the
 * person allowed all beforehand; what cannot be taken back is declined even then.
 */
export const unattendedAsk =
  (attended: Attended): Ask =>
  async (question) =>
    attended === "all" && question.effect !== "destructive"
      ? { choice: "once", why: "policy" }
      : { choice: "deny", why: attended === "all" ? "policy" : "not_asked" };
