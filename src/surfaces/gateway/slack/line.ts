import type { AdapterHealth } from "../../../core/gateway/chat.ts";
import type { ServeLog } from "../../../core/serving/door.ts";
import type { Clock } from "../../../lib/clock.ts";
import { withinTime } from "../../../lib/time-limit.ts";
import { type CallFailure, whyOf } from "./failures.ts";
import { type OpenSocket, type SocketEvents, SocketFailure } from "./socket.ts";

/** The way in: there is always one socket, and one that is dead or deaf is replaced. */
export type Line = {
  /** Opens the first one, and then sees to it that there is one. Rejects with a SocketFailure. */
  start(): Promise<void>;
  health(): LineHealth;
  /** Resolves when nothing more happens, after `over`. */
  stopped(): Promise<void>;
};

export type LineHealth = Pick<AdapterHealth, "state" | "receivedAt" | "restarts" | "detail">;

type Deps = {
  readonly clock: Clock;
  readonly log: ServeLog;
  readonly over: AbortSignal;
  open(events: SocketEvents, signal: AbortSignal): Promise<OpenSocket>;
  readonly handed: SocketEvents["handed"];
  /** There is a new socket. `isGap`: there was none for a while, or one over which nothing came. */
  connected(isGap: boolean): void;
};

/** Slack pings every few seconds. */
const quietMs = 60_000;
const openMs = 20_000;
/** How long a socket must have been good for the next one to be opened without a pause. */
const goodMs = 10_000;
const longestPauseMs = 30_000;
const hopelessPauseMs = 5 * 60_000;
const retireMs = 5000;

type Told = { health: LineHealth };
type End = { readonly why: "ended" | "silent" } | { readonly why: "leaving"; readonly reason: string };
type Live = {
  readonly socket: OpenSocket;
  readonly openedAt: number;
  aliveAt(): number;
  readonly leaving: Promise<End>;
  /** What comes is handed over from now on. */
  begin(): void;
};

export function keepLine(deps: Deps): Line {
  const told: Told = { health: { state: "starting", restarts: 0 } };
  let running: Promise<void> = Promise.resolve();
  return {
    async start() {
      const first = await open(deps, told);
      deps.connected(true);
      first.begin();
      running = run(deps, told, first).catch((error: unknown) => {
        if (!deps.over.aborted) deps.log("slack: the line ended", { error: String(error) });
      });
    },
    health: () => told.health,
    stopped: () => running,
  };
}

const tell = (told: Told, state: AdapterHealth["state"], detail?: string): void => {
  const { restarts, receivedAt } = told.health;
  const since = receivedAt === undefined ? {} : { receivedAt };
  told.health = { state, restarts, ...since, ...(detail === undefined ? {} : { detail }) };
};

async function run(deps: Deps, told: Told, first: Live): Promise<void> {
  const { clock, over, log } = deps;
  let failures = 0;
  for (let live = first; ;) {
    const end = await untilOver(live, deps);
    over.throwIfAborted();
    const isReplaced = end.why === "leaving" && end.reason !== "link_disabled";
    if (!isReplaced) {
      live.socket.close();
      tell(told, "recovering", detailOf(end));
    }
    log("slack: another socket is opened", { why: end.why });
    failures = isReplaced || clock.monotonic() - live.openedAt >= goodMs ? 0 : failures + 1;
    const next = await openAgain(deps, told, failures);
    if (isReplaced) retire(live.socket, deps);
    live = next;
    told.health = { ...told.health, restarts: told.health.restarts + 1 };
    deps.connected(!isReplaced);
    live.begin();
  }
}

function detailOf(end: End): string {
  if (end.why === "silent") return `Nothing came from Slack for ${quietMs / 1000} s.`;
  if (end.why === "ended") return "The connection to Slack broke off.";
  return "Socket Mode was switched off for the Slack app. Switch it on again in the settings of the app.";
}

async function open(deps: Deps, told: Told): Promise<Live> {
  const { clock, over } = deps;
  const leaving = Promise.withResolvers<End>();
  const begun = Promise.withResolvers<void>();
  let aliveAt = clock.monotonic();
  const events: SocketEvents = {
    // The first ones come with the greeting. What was missed is to be in line before them.
    handed: (handed) => begun.promise.then(() => deps.handed(handed)),
    leaving: (reason) => leaving.resolve({ why: "leaving", reason }),
    alive() {
      aliveAt = clock.monotonic();
      told.health = { ...told.health, receivedAt: clock.now() };
    },
  };
  let opening: Promise<OpenSocket> | undefined;
  const limited = await withinTime(openMs, clock, over, (signal) => (opening = deps.open(events, signal)));
  if (limited.end !== "done") {
    // One that opens in this very moment would be given events that nobody hands over.
    opening?.then(({ close }) => close()).catch(() => {});
    throw new SocketFailure(tooSlow);
  }
  const socket = limited.value;
  over.addEventListener("abort", socket.close, { once: true });
  if (over.aborted) socket.close();
  void socket.ended.then(() => over.removeEventListener("abort", socket.close));
  tell(told, "connected");
  const openedAt = clock.monotonic();
  return { socket, openedAt, aliveAt: () => aliveAt, leaving: leaving.promise, begin: begun.resolve };
}

const tooSlow: CallFailure = {
  kind: "notSent",
  why: `Slack has not opened a connection within ${openMs / 1000} s.`,
};

/** Until there is one; each failure makes the next pause longer. Rejects only when all is over. */
async function openAgain(deps: Deps, told: Told, failures: number): Promise<Live> {
  const { clock, over, log } = deps;
  for (let failed = failures; ; failed += 1) {
    if (failed > 0) await clock.sleep(Math.min(longestPauseMs, 1000 * 2 ** (failed - 1)), over);
    try {
      return await open(deps, told);
    } catch (error) {
      over.throwIfAborted();
      const failure = failureIn(error);
      tell(told, failure.kind === "refused" ? "failed" : "recovering", whyOf(failure));
      log("slack: no connection", { why: whyOf(failure) });
      if (failure.kind === "held") await clock.sleep(failure.ms, over);
      if (failure.kind === "refused") await clock.sleep(hopelessPauseMs, over);
    }
  }
}

const failureIn = (error: unknown): CallFailure =>
  error instanceof SocketFailure ? error.failure : { kind: "unknown", why: String(error) };

async function untilOver(live: Live, { clock, over }: Deps): Promise<End> {
  const known = new AbortController();
  const stop = AbortSignal.any([over, known.signal]);
  const silent = async (): Promise<End> => {
    for (let left = quietMs; left > 0; left = live.aliveAt() + quietMs - clock.monotonic()) {
      await clock.sleep(left, stop);
    }
    return { why: "silent" };
  };
  const ended = live.socket.ended.then((): End => ({ why: "ended" }));
  try {
    return await Promise.race([ended, live.leaving, silent().catch((): End => ({ why: "ended" }))]);
  } finally {
    known.abort();
  }
}

/** What came over it is still acknowledged over it, if that does not take long. */
function retire(socket: OpenSocket, { clock, over }: Deps): void {
  const done = withinTime(retireMs, clock, over, () => socket.idle());
  done.then(socket.close, socket.close);
}
