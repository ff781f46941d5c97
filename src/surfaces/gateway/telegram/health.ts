import type { AdapterHealth } from "../../../core/gateway/chat.ts";
import type { Clock } from "../../../lib/clock.ts";

/** How it stands with what comes in. What goes out has no part in it: a bot can be deaf and still talk. */
export type Health = {
  read(): AdapterHealth;
  /** The platform has answered the inbound side. */
  received(): void;
  /** Somebody has written or pressed something. */
  happened(): void;
  connected(): void;
  trouble(state: "starting" | "recovering" | "failed", detail: string): void;
  restarted(): void;
  stopped(): void;
};

/** Nothing that receives is that quiet: a poll ends within half a minute. */
const longestSilenceMs = 90_000;

export function newHealth(clock: Clock): Health {
  let state: AdapterHealth["state"] = "starting";
  let detail: string | undefined;
  let received: { readonly at: number; readonly monotonic: number } | undefined;
  let eventAt: number | undefined;
  let restarts = 0;
  const isSilent = (): boolean =>
    received !== undefined && clock.monotonic() - received.monotonic > longestSilenceMs;
  return {
    read() {
      const isDeaf = state === "connected" && isSilent();
      const why = isDeaf ? "Nothing has been heard from Telegram for a while." : detail;
      return {
        state: isDeaf ? "recovering" : state,
        ...(received === undefined ? {} : { receivedAt: received.at }),
        ...(eventAt === undefined ? {} : { eventAt }),
        restarts,
        ...(why === undefined ? {} : { detail: why }),
      };
    },
    received: () => void (received = { at: clock.now(), monotonic: clock.monotonic() }),
    happened: () => void (eventAt = clock.now()),
    connected() {
      if (state !== "stopped") [state, detail] = ["connected", undefined];
    },
    trouble(now, why) {
      if (state !== "stopped") [state, detail] = [now, why];
    },
    restarted: () => void (restarts += 1),
    stopped: () => void ([state, detail] = ["stopped", undefined]),
  };
}
