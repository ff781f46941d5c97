import type { SessionId } from "../../core/ids.ts";
import type { SessionTable } from "../../store/store.ts";
import {
  type AddressKeys,
  addressKey,
  addressesInResult,
  knownAddresses,
} from "../../tools/web/known-addresses.ts";

/** Which addresses the person, a search or a page has named in a session. */
export type SessionAddresses = {
  isKnown(session: SessionId, url: string): Promise<boolean>;
  /** A result of a tool that is in no transcript, because another program called it. Kept while this process runs. */
  note(session: SessionId, tool: string, output: string): void;
};

type Sessions = Pick<SessionTable, "get" | "messages">;

/** Results that are remembered for each session of another program. */
const maxNoted = 50;

export function sessionAddresses(sessions: Sessions): SessionAddresses {
  const noted = new Map<SessionId, readonly AddressKeys[]>();
  const isIn = async (id: SessionId, key: string): Promise<boolean> => {
    if (noted.get(id)?.some((keys) => keys.has(key)) === true) return true;
    const parent = (await sessions.get(id))?.parent;
    if ((await keysOf(sessions, id, parent === undefined)).has(key)) return true;
    // What a delegated session was told was written by a model; the person's words stand in the session that began it.
    return parent !== undefined && (await isIn(parent, key));
  };
  return {
    async isKnown(session, url) {
      const key = addressKey(url);
      return key !== undefined && (await isIn(session, key));
    },
    note(session, tool, output) {
      const keys = resultKeys(tool, output);
      if (keys.size > 0) noted.set(session, [...(noted.get(session) ?? []), keys].slice(-maxNoted));
    },
  };
}

async function keysOf(sessions: Sessions, id: SessionId, person: boolean): Promise<AddressKeys> {
  const messages = await sessions.messages(id);
  return knownAddresses(
    messages.map(({ message }) => message),
    { person },
  );
}

const resultKeys = (tool: string, output: string): AddressKeys => new Set(addressesInResult(tool, output));
