import type { SessionId } from "../core/ids.ts";
import type { SessionTable } from "../store/store.ts";
import {
  type AddressKeys,
  addressKey,
  addressesInResult,
  knownAddresses,
} from "../tools/web/known-addresses.ts";

type Sessions = Pick<SessionTable, "get" | "messages">;

/** Whether an address is one that the person, a search or a page named in this session. */
export function knownAddress(
  sessions: Sessions,
  found: Pick<FoundAddresses, "has">,
): (session: SessionId, url: string) => Promise<boolean> {
  return async (session, url) => {
    const key = addressKey(url);
    return key !== undefined && (await isKnown(sessions, found, session, key));
  };
}

/** What a delegated session was told was written by a model; the person's words stand in the session that began it. */
async function isKnown(
  sessions: Sessions,
  found: Pick<FoundAddresses, "has">,
  id: SessionId,
  key: string,
): Promise<boolean> {
  if (found.has(id, key)) return true;
  const parent = (await sessions.get(id))?.parent;
  const keys = await keysOf(sessions, id, parent === undefined);
  if (keys.has(key)) return true;
  return parent !== undefined && (await isKnown(sessions, found, parent, key));
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

/**
 * Addresses in the results of calls that belong to no turn, and so to no transcript: those of other programs. Kept while
 * Talaria runs, so that what a search has found for a program is known there, too.
 */
export type FoundAddresses = {
  note(session: SessionId, tool: string, output: string): void;
  has(session: SessionId, key: string): boolean;
};

const mostResults = 50;

export function foundAddresses(): FoundAddresses {
  const results = new Map<SessionId, readonly AddressKeys[]>();
  return {
    note(session, tool, output) {
      const keys = new Set(addressesInResult(tool, output));
      if (keys.size > 0) results.set(session, [...(results.get(session) ?? []), keys].slice(-mostResults));
    },
    has: (session, key) => results.get(session)?.some((keys) => keys.has(key)) === true,
  };
}
