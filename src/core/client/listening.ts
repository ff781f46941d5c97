import type { Client } from "../calls.ts";
import type { Envelope } from "../events.ts";
import type { Follower } from "../host.ts";
import type { SessionId, TurnId } from "../ids.ts";

/** Somebody hears of what happens in a session. */
export type Listening = {
  /** Resolves once they have heard of the end of this turn. */
  heard(turn: TurnId): Promise<void>;
  /** They hear nothing more. */
  leave(): void;
};

export type ListenOptions = {
  readonly by?: Follower;
  /** Also of what other processes do in it. */
  readonly elsewhere?: true;
  /** Hears of a listener that throws, which hears of the next event all the same, and of a stream that breaks. */
  readonly onError: (error: unknown) => void;
};

/** Whoever waits for the end of a turn does so while it runs, or right after it. */
const mostEnds = 200;

/** Follows a session from this call on, event by event. */
export function listen(
  client: Client<"sessions.follow">,
  session: SessionId,
  listener: (event: Envelope) => void,
  { by, elsewhere, onError }: ListenOptions,
): Listening {
  const left = new AbortController();
  const ends = new Map<TurnId, PromiseWithResolvers<void>>();
  const endOf = (turn: TurnId): PromiseWithResolvers<void> => {
    const known = ends.get(turn) ?? Promise.withResolvers<void>();
    ends.set(turn, known);
    const [oldest] = ends;
    if (ends.size > mostEnds && oldest !== undefined) {
      ends.delete(oldest[0]);
      oldest[1].resolve();
    }
    return known;
  };
  const input = {
    session,
    ...(by === undefined ? {} : { by }),
    ...(elsewhere === true ? { elsewhere } : {}),
  };
  const events = client.call("sessions.follow", input, left.signal);
  const hear = async (): Promise<void> => {
    for await (const event of events) {
      try {
        listener(event);
      } catch (error) {
        onError(error);
      }
      if (event.type === "ended") endOf(event.turn).resolve();
    }
  };
  void hear()
    .catch(onError)
    .finally(() => {
      left.abort();
      for (const { resolve } of ends.values()) resolve();
    });
  return {
    heard: (turn) => (left.signal.aborted ? Promise.resolve() : endOf(turn).promise),
    leave: () => left.abort(),
  };
}
