import { Refusal } from "../core/host.ts";
import type { SessionId } from "../core/ids.ts";
import { type Principal, isSamePerson } from "../core/principal.ts";
import type { StoredTurn } from "../core/session.ts";
import type { Store } from "../store/store.ts";

type Inbox = { readonly inbox: Pick<Store["inbox"], "saidIn" | "get"> };

/** Is everything that was said in a session theirs? Without anybody to ask about, it may be taken so. */
export const isAllOf = async (
  { inbox }: Inbox,
  session: SessionId,
  by: Principal | undefined,
): Promise<boolean> => by === undefined || !(await inbox.saidIn(session, by)).others;

/** Throws unless all of these turns are for them. */
export async function requireOwnTurns(
  { inbox }: Inbox,
  turns: readonly Pick<StoredTurn, "inbox">[],
  by: Principal | undefined,
): Promise<void> {
  if (by === undefined) return;
  const inputs = await Promise.all(turns.map((turn) => inbox.get(turn.inbox)));
  if (inputs.every((input) => input !== undefined && isSamePerson(input.from, by))) return;
  throw somebodyElses("A turn of these is somebody else's.");
}

export const somebodyElses = (message: string): Refusal =>
  new Refusal("refused", message, "Ask them, or the owner of this Talaria.");
