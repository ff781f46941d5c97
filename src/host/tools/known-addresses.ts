import type { SessionId } from "../../core/ids.ts";
import type { SessionTable } from "../../store/store.ts";
import { type AddressKeys, addressKey, knownAddresses } from "../../tools/web/known-addresses.ts";

/** Whether an address is one that the person, a search or a page named in this session. */
export function knownAddress(
  sessions: Pick<SessionTable, "get" | "messages">,
): (session: SessionId, url: string) => Promise<boolean> {
  return async (session, url) => {
    const key = addressKey(url);
    return key !== undefined && (await isKnown(sessions, session, key));
  };
}

/** What a delegated session was told was written by a model; the person's words stand in the session that began it. */
async function isKnown(
  sessions: Pick<SessionTable, "get" | "messages">,
  id: SessionId,
  key: string,
): Promise<boolean> {
  const parent = (await sessions.get(id))?.parent;
  const keys = await keysOf(sessions, id, parent === undefined);
  if (keys.has(key)) return true;
  return parent !== undefined && (await isKnown(sessions, parent, key));
}

async function keysOf(
  sessions: Pick<SessionTable, "messages">,
  id: SessionId,
  person: boolean,
): Promise<AddressKeys> {
  const messages = await sessions.messages(id);
  return knownAddresses(
    messages.map(({ message }) => message),
    { person },
  );
}
