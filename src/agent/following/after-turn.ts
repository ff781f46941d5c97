import type { Store } from "../../store/store.ts";
import type { FollowDeps } from "./follow.ts";
import type { Hub } from "../hub.ts";

type Deps = {
  readonly store: Pick<Store, "events">;
  readonly watchers: Pick<Hub, "tell">;
  readonly clock: Pick<FollowDeps["clock"], "now">;
  readonly log: (line: string) => void;
};

/** Says something after a turn to whoever watches the session here, and through the event log to all who follow it. */
export const tellAfterTurn =
  ({ store, watchers, clock, log }: Deps): Hub["tell"] =>
  (session, turn, notice) => {
    const isHeard = watchers.tell(session, turn, notice);
    // What nobody has heard is said with the session's next turn, and is in the log with that.
    if (isHeard)
      store.events
        .note(session, turn, notice, clock.now())
        .catch((error: unknown) => log(`a notice of ${session} is not in the event log: ${String(error)}`));
    return isHeard;
  };
