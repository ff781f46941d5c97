import type { Client } from "../calls.ts";
import type { SessionId } from "../ids.ts";

/** How somebody who waits for a turn stops it. */
export type TurnStop = {
  stop(): void;
  /** Its message was taken, so there is a turn. */
  sent(): void;
  /** It has ended, and nothing more is told. */
  over(): void;
  /** Resolves when it cannot be stopped, after `tell` was told why. */
  readonly abandoned: Promise<null>;
};

export function turnStop(client: Client, session: SessionId, tell: (why: unknown) => void): TurnStop {
  const abandoned = Promise.withResolvers<null>();
  let isSent = false;
  let isOver = false;
  const abandon = (why: unknown): void => {
    if (isOver) return;
    tell(why);
    abandoned.resolve(null);
  };
  return {
    stop() {
      // What was asked before there was a turn is asked again.
      const counts = isSent;
      isStopped(client, session).then(
        (done) => (done || !counts ? undefined : abandon(elsewhere)),
        (error: unknown) => abandon(error instanceof Error ? error.message : error),
      );
    },
    sent: () => void (isSent = true),
    over: () => void (isOver = true),
    abandoned: abandoned.promise,
  };
}

const elsewhere =
  "The turn runs in another process, and cannot be stopped from here. It is left there: nobody waits for it any more.";

/** False: it still runs, in another process, such as a host that has closed its doors and is long in ending. */
async function isStopped(client: Client, session: SessionId): Promise<boolean> {
  const { interrupted, setAside } = await client.call("turns.stop", { session });
  if (interrupted || setAside > 0) return true;
  const [last] = await client.call("sessions.turns", { session, last: 1 });
  return last?.state !== "open";
}
