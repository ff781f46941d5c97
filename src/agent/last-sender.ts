import type { SessionId } from "../core/ids.ts";
import type { Principal } from "../core/principal.ts";
import type { Store } from "../store/store.ts";

/** Who the last turn of a session was for. What happens in it without an input is done for them, with no more rights. */
export async function lastSender(
  { sessions, inbox }: Pick<Store, "sessions" | "inbox">,
  session: SessionId,
): Promise<Principal | undefined> {
  const last = (await sessions.lastTurns(session, 1)).at(0);
  return last && (await inbox.get(last.inbox))?.from;
}
