import type { Clock } from "../../../lib/clock.ts";
import { noLongerNeeded } from "../../../lib/no-longer-needed.ts";
import type { AppServer } from "./app-server.ts";
import type { Gone } from "./gone.ts";

/** Disposing gives it back. */
export type LeasedServer = Disposable & { readonly server: AppServer };

/** wedged: it does not answer, so it is killed without being asked · auth: its login failed · stale: anything else */
export type DrainReason = "wedged" | "auth" | "stale";

/** An app-server that several use at once. It ends when it is to end and the last of them has given it back. */
export type SharedServer = {
  readonly server: AppServer;
  /** It takes no new leases. */
  readonly leaving: boolean;
  lease(): LeasedServer;
  drain(why: DrainReason): void;
  /** Ends it, whoever leases it. */
  end(): void;
};

export type SharedServerOptions = {
  readonly server: AppServer;
  readonly clock: Clock;
  /** How long it stays when nobody leases it. */
  readonly idleMs: number;
  /** It ended, and nobody wanted that. Called before `onLeaving`. */
  readonly onCrash: (gone: Gone) => void;
  /** From now on it takes no leases. Called once. */
  readonly onLeaving: () => void;
  /** The promise resolves when the process and all it started are gone. Called once. */
  readonly onEnding: (ending: Promise<void>) => void;
};

export function sharedServer(options: SharedServerOptions): SharedServer {
  const { server, clock, idleMs } = options;
  let leases = 0;
  let draining: DrainReason | undefined;
  let leaving = false;
  let ending = false;
  let idle = new AbortController();

  function leave(): void {
    if (leaving) return;
    leaving = true;
    options.onLeaving();
  }

  function end(): void {
    if (ending) return;
    ending = true;
    leave();
    idle.abort();
    options.onEnding(gentlyOrNot().catch(() => {})); // the registry failed; the next start of ours sweeps
  }

  async function gentlyOrNot(): Promise<void> {
    await (draining === "wedged" ? server.kill() : server[Symbol.asyncDispose]());
  }

  /** Nobody leases it. */
  function rest(): void {
    if (leaving) return end();
    idle = new AbortController();
    clock.sleep(idleMs, idle.signal).then(end, () => {}); // leased again
  }

  async function watch(): Promise<void> {
    const gone = await server.gone;
    if (gone.reason !== "closed" && draining === undefined) options.onCrash(gone);
    end();
  }

  void watch();
  rest();

  return {
    server,
    get leaving() {
      return leaving;
    },
    lease() {
      leases += 1;
      idle.abort(noLongerNeeded);
      return leased(server, () => {
        leases -= 1;
        if (leases === 0) rest();
      });
    },
    drain(why) {
      if (draining !== "wedged") draining = why;
      leave();
      if (leases === 0) end();
    },
    end,
  };
}

function leased(server: AppServer, giveBack: () => void): LeasedServer {
  let given = false;
  return {
    server,
    [Symbol.dispose]() {
      if (!given) giveBack();
      given = true;
    },
  };
}
