import type { Client } from "../calls.ts";
import type { Envelope } from "../events.ts";
import type { SessionId, TurnId } from "../ids.ts";
import type { SeenTurns } from "./past.ts";

/** What other processes do in a session, for a surface that shows its past first. */
export type FromElsewhere = {
  hear(event: Envelope): void;
  /** Turns that will be told from their start, so that the past need not have them. */
  toBeTold(): ReadonlySet<TurnId>;
  /** The past is shown: what was told meanwhile comes now, and the rest as it comes. */
  release(): void;
  /** Something of our own was shown: whatever comes next from elsewhere says so again. */
  interrupted(): void;
};

/** `announce`: once before turns that run elsewhere. Each turn is shown once, by its past or as it is told. */
export function fromElsewhere(
  seen: SeenTurns,
  announce: () => void,
  show: (event: Envelope) => void,
): FromElsewhere {
  let held: Envelope[] | undefined = [];
  let announced = false;
  const tell = (event: Envelope): void => {
    if (seen.isShown(event.turn)) return;
    seen.followed(event.turn);
    if (!announced) announce();
    announced = true;
    show(event);
  };
  return {
    hear: (event) => (held === undefined ? tell(event) : void held.push(event)),
    toBeTold: () => new Set(held?.map(({ turn }) => turn)),
    release() {
      const all = held ?? [];
      held = undefined;
      all.forEach(tell);
    },
    interrupted: () => void (announced = false),
  };
}

/** Resolves when a listener has heard all that others have done until now. */
export async function heardFromElsewhere(
  client: Client<"sessions.catchUp">,
  session: SessionId,
): Promise<void> {
  await client.call("sessions.catchUp", { session });
  // Behind everything that is on its way to the listener.
  await new Promise((resolve) => setImmediate(resolve));
}
