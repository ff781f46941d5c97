import type { SessionId } from "../core/ids.ts";
import type { Store } from "../store/store.ts";

/** What a session wanted to do and did not, because nobody could be asked. */
export async function notAskedIn(
  { approvals }: Pick<Store, "approvals">,
  session: SessionId,
): Promise<readonly string[]> {
  const refused = await approvals.list({ limit: 20, session, state: "refused" });
  return refused.filter(({ why }) => why === "not_asked").map(({ question }) => question.summary);
}
