import type { Client } from "../calls.ts";
import type { SessionId, TurnId } from "../ids.ts";
import type { PastTurn, StoredTurn } from "../session.ts";

/** Which turns of a session a surface has shown, and which ones others have added to it meanwhile. */
export type SeenTurns = {
  /** This turn was shown live. */
  followed(turn: TurnId): void;
  /** Was it shown as a whole, as something past? */
  isShown(turn: TurnId): boolean;
  /** All up to the last of these were shown. */
  shown(turns: readonly StoredTurn[]): void;
  /** Ended turns that were not, oldest first. From now on they count as shown. */
  missed(
    client: Client<"sessions.turns" | "sessions.past">,
    session: SessionId,
  ): Promise<readonly PastTurn[]>;
};

/** Of this session, all that was said so far is known. */
export async function allSeen(
  client: Client<"sessions.turns">,
  session: SessionId | undefined,
  seen = seenTurns(),
): Promise<SeenTurns> {
  if (session !== undefined) seen.shown(await client.call("sessions.turns", { session, last: underWay }));
  return seen;
}

/** More turns than can end while somebody looks at them; events of older ones do not come any more. */
const underWay = 50;

export function seenTurns(): SeenTurns {
  let last: TurnId | undefined;
  const followed = new Set<TurnId>();
  const whole = new Set<TurnId>();
  return {
    isShown: (turn) => whole.has(turn),
    followed: (turn) => void followed.add(turn),
    // A turn that is still open elsewhere is shown once it has ended.
    shown(turns) {
      const ended = turns.filter(({ state }) => state !== "open");
      for (const { id } of ended) whole.add(id);
      last = ended.at(-1)?.id ?? last;
    },
    async missed(client, session) {
      const after = last === undefined ? {} : { after: last };
      const since = await client.call("sessions.turns", { session, ...after });
      const ended = since.filter(({ state }) => state !== "open");
      const missed = ended.filter(({ id, undone }) => undone !== true && !followed.has(id));
      // While one is open, the next look starts before it again.
      if (ended.length === since.length) {
        last = since.at(-1)?.id ?? last;
        followed.clear();
      }
      for (const { id } of missed) {
        followed.add(id);
        whole.add(id);
      }
      return Array.fromAsync(turnByTurn(client, session, missed));
    },
  };
}

/** These turns with all that was said and done in them, read in parts, however many they are. */
export async function* turnByTurn(
  client: Client<"sessions.past">,
  session: SessionId,
  turns: readonly StoredTurn[],
): AsyncGenerator<PastTurn, void, void> {
  for (let at = 0; at < turns.length; at += atOnce) {
    const ids = turns.slice(at, at + atOnce).map(({ id }) => id);
    yield* (await client.call("sessions.past", { session, turns: ids })).turns;
  }
}

const atOnce = 50;
