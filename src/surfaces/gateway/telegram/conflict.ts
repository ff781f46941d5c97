import type { AdapterHealth } from "../../../core/gateway/chat.ts";
import type { Clock } from "../../../lib/clock.ts";

type Trouble = {
  readonly state: "recovering" | "failed";
  readonly detail: NonNullable<AdapterHealth["detail"]>;
};

/** After a restart the last poll lives on for half a minute. Whoever is there after minutes is somebody else. */
const patienceMs = 180_000;
/** Two that poll take turns: that one of our polls succeeds does not mean that the other one has gone. */
const overAfterMs = 60_000;

const lingering =
  "Another poll with this bot's token is still open, maybe the one before a restart. It is waited for.";
const somebodyElse =
  "Another program polls Telegram with this bot's token, and each message reaches only one of the two. Stop the other one, or let @BotFather make a new token (/revoke) and set it here.";

/** Somebody else who polls with our token: for how long, and whether they are still there. */
export function newConflict(clock: Clock): {
  readonly met: () => Trouble;
  readonly afterPoll: () => Trouble | undefined;
} {
  let since: number | undefined;
  let last = 0;
  const trouble = (): Trouble => {
    const isLong = clock.monotonic() - (since ?? 0) >= patienceMs;
    return { state: isLong ? "failed" : "recovering", detail: isLong ? somebodyElse : lingering };
  };
  return {
    met() {
      last = clock.monotonic();
      since ??= last;
      return trouble();
    },
    afterPoll() {
      if (since === undefined) return undefined;
      if (clock.monotonic() - last < overAfterMs) return trouble();
      since = undefined;
      return undefined;
    },
  };
}
