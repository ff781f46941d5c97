import { Refusal } from "../../../core/host.ts";
import type { Clock } from "../../../lib/clock.ts";
import { fatalClose, tokenRefused } from "./fatal-close.ts";
import { openLink, type LinkEvent } from "./link.ts";
import { Presence } from "./presence.ts";

export type ConnectionDeps = {
  readonly token: string;
  readonly api: string;
  readonly clock: Clock;
  readonly log: (line: string) => void;
  said(type: string, data: unknown): void;
  /** Something may be missed from now on, until `joined`. */
  lost(): void;
  joined(): void;
  /** Something was missed, and the connection is there. */
  skipped(): void;
};

export type Connection = {
  /** Until the first READY. Rejects with a Refusal when there will be none. */
  open(): Promise<void>;
  health(): ReturnType<Presence["health"]>;
  close(): void;
};

const lookMs = 5_000;
const longestWaitMs = 60_000;
const tooOftenMs = 5 * 60_000;
/** After so long a connection is taken for a good one. */
const steadyMs = 10 * 60_000;

type Ended = { readonly why: string; readonly waitMs?: number; readonly refusal?: Refusal };

/** The way in, kept open: a client that has gone silent, does not come back or fails is replaced by another one, never waited for. */
export function makeConnection(deps: ConnectionDeps): Connection {
  const presence = new Presence(deps.clock);
  const over = new AbortController();
  const first = Promise.withResolvers<void>();
  const fail = (error: unknown): void => {
    if (!over.signal.aborted) {
      presence.failed(error instanceof Refusal ? `${error.message} ${error.next}` : String(error));
      deps.log(`discord: ${presence.health().detail}`);
    }
    first.reject(error);
  };
  return {
    async open() {
      keepOpen(deps, presence, first.resolve, over.signal).catch(fail);
      await first.promise;
    },
    health: () => presence.health(),
    close() {
      presence.stopped();
      over.abort(new Refusal("stopping", "The gateway is stopping.", "Start it again."));
    },
  };
}

/** Rejects with a Refusal when going on leads nowhere, and with the signal's reason. */
async function keepOpen(
  deps: ConnectionDeps,
  presence: Presence,
  opened: () => void,
  over: AbortSignal,
): Promise<never> {
  const { clock } = deps;
  for (let tries = 0; ; tries += 1) {
    const startedAt = clock.monotonic();
    presence.tries();
    const end = await oneLink(deps, presence, opened, over);
    if (end.refusal !== undefined) throw end.refusal;
    if (presence.isStarting) throw notReached(end.why);
    lose(deps, presence, end.why);
    if (clock.monotonic() - startedAt > steadyMs) tries = 0;
    await clock.sleep(end.waitMs ?? Math.min(longestWaitMs, 1_000 * 2 ** tries), over);
  }
}

/** Until this client is to be replaced. It is left then, whatever it is doing. */
async function oneLink(
  deps: ConnectionDeps,
  presence: Presence,
  opened: () => void,
  over: AbortSignal,
): Promise<Ended> {
  const ended = Promise.withResolvers<Ended>();
  const stop = new AbortController();
  const link = openLink(deps, (event) => {
    const end = hear(deps, presence, event);
    if (event.kind === "joined") opened();
    if (end !== undefined) ended.resolve(end);
  });
  try {
    return await Promise.race([
      ended.promise,
      overdue(deps.clock, presence, AbortSignal.any([stop.signal, over])),
    ]);
  } finally {
    stop.abort(over.reason);
    link.end();
  }
}

async function overdue(clock: Clock, presence: Presence, stop: AbortSignal): Promise<Ended> {
  for (;;) {
    await clock.sleep(lookMs, stop);
    const why = presence.overdue();
    if (why !== undefined) return { why };
  }
}

/** Gives why the client is to be replaced. */
function hear(deps: ConnectionDeps, presence: Presence, event: LinkEvent): Ended | undefined {
  switch (event.kind) {
    case "alive":
      presence.heard();
      return undefined;
    case "said":
      presence.heard();
      if (presence.isGap(event.type, event.seq)) deps.skipped();
      deps.said(event.type, event.data);
      return undefined;
    case "joined": {
      presence.heard();
      const isFine = presence.joined(event.isNew);
      deps.joined();
      return isFine ? undefined : { why: "Discord ends our sessions again and again.", waitMs: tooOftenMs };
    }
    case "closed": {
      const refusal = fatalClose(event.code);
      lose(deps, presence, refusal?.message ?? `Discord closed the connection (${event.code}).`);
      return refusal === undefined ? undefined : { why: refusal.message, refusal };
    }
    case "trouble":
      deps.log(`discord: ${event.why}`);
      return undefined;
    case "failed": {
      const { why, waitMs, isAuth } = event;
      lose(deps, presence, why);
      return {
        why,
        ...(isAuth ? { refusal: tokenRefused() } : {}),
        ...(waitMs === undefined ? {} : { waitMs }),
      };
    }
  }
}

function lose(deps: ConnectionDeps, presence: Presence, why: string): void {
  if (!presence.lost(why)) return;
  deps.log(`discord: not connected: ${why}`);
  deps.lost();
}

const notReached = (why: string): Refusal =>
  new Refusal(
    "network",
    `Discord cannot be reached: ${why}`,
    "Check the network, and gateway.discord.api if it is set; then try again.",
  );
