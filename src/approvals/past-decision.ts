import type { StoredApproval } from "../core/ledger.ts";

/** What became of a question, in words. */
export function pastDecision(row: StoredApproval): string {
  const when = new Date(row.askedAt).toISOString().slice(0, 19).replace("T", " ");
  return `${when} UTC, ${outcome(row)}`;
}

function outcome({ state, by = "somebody", reason }: StoredApproval): string {
  const because = reason === undefined ? "" : ` (${reason})`;
  switch (state) {
    case "pending":
      return "and that question is still open";
    case "once":
      return `and ${by} allowed it once`;
    case "session":
      return `and ${by} allowed it for the session`;
    case "always":
      return `and ${by} allowed it for good`;
    case "denied":
      return `and ${by} said no`;
    case "expired":
      return `and nobody answered${because}`;
    case "withdrawn":
      return `and it was withdrawn${because}`;
    case "allowed":
      return `and it was allowed without a question${because}`;
    case "refused":
      return `and it was refused without a question${because}`;
  }
}
