import type { Client } from "../calls.ts";
import type { SessionId, TurnId } from "../ids.ts";
import type { Item } from "../items.ts";
import type { StoredMessage, StoredTurn } from "../session.ts";

type Reader = Client<"sessions.messages" | "sessions.turns" | "sessions.items">;

/** A turn as it was: what was finished in it, and what the person said (as rows) where it came. */
export type PastTurn = {
  readonly turn: StoredTurn;
  readonly parts: readonly (Item | StoredMessage)[];
};

/** `earlier`: how many messages came before those turns. */
export type Past = { readonly earlier: number; readonly turns: readonly PastTurn[] };

/** The last turns of a session, whole ones only, with at most so many messages. What was undone is not part of it. */
export async function lastTurns(
  client: Reader,
  session: SessionId,
  mostMessages = Number.POSITIVE_INFINITY,
): Promise<Past> {
  const [messages, turns] = await Promise.all([
    client.call("sessions.messages", { session }),
    client.call("sessions.turns", { session }),
  ]);
  const rows = Map.groupBy(messages, ({ turn }) => turn);
  const shown: StoredTurn[] = [];
  let [count, all] = [0, 0];
  let isFull = false;
  for (const turn of turns.toReversed()) {
    const size = turn.undone === true ? 0 : (rows.get(turn.id)?.length ?? 0);
    all += size;
    isFull ||= count > 0 && count + size > mostMessages;
    if (isFull || turn.undone === true) continue;
    shown.unshift(turn);
    count += size;
  }
  return { earlier: all - count, turns: await withParts(client, rows, shown) };
}

/** Which turns of a session a surface has shown, and which ones others have added to it meanwhile. */
export type SeenTurns = {
  /** This turn was shown live. */
  followed(turn: TurnId): void;
  /** Was it shown as a whole, as something past? */
  isShown(turn: TurnId): boolean;
  /** All up to the last of these were shown. */
  shown(turns: readonly StoredTurn[]): void;
  /** Ended turns that were not, oldest first. From now on they count as shown. */
  missed(client: Reader, session: SessionId): Promise<readonly PastTurn[]>;
};

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
      if (missed.length === 0) return [];
      const messages = await client.call("sessions.messages", { session });
      return withParts(
        client,
        Map.groupBy(messages, ({ turn }) => turn),
        missed,
      );
    },
  };
}

const withParts = (
  client: Reader,
  rows: ReadonlyMap<TurnId, readonly StoredMessage[]>,
  turns: readonly StoredTurn[],
): Promise<readonly PastTurn[]> =>
  Promise.all(
    turns.map(async (turn) => ({
      turn,
      parts: inOrder(rows.get(turn.id) ?? [], await client.call("sessions.items", { turn: turn.id })),
    })),
  );

/** Items as they were finished; what the person said meanwhile stands where it came. */
export function inOrder(
  rows: readonly StoredMessage[],
  items: readonly Item[],
): readonly (Item | StoredMessage)[] {
  const shown: (Item | StoredMessage)[] = [];
  let next = 0;
  for (const row of rows) {
    if (row.message.role === "user") {
      shown.push(row);
      continue;
    }
    const at = items.findIndex(({ id }) => id === row.item);
    while (next <= at) shown.push(...items.slice(next, (next += 1)));
  }
  return [...shown, ...items.slice(next)];
}
