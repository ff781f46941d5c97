import type { Clock } from "../../lib/clock.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";
import { callTimer } from "./call-timer.ts";
import { type Connection, type ConnectionDeps, type Listeners, openConnection } from "./connection.ts";
import type { Offer } from "./definition.ts";
import type { ServerSettings } from "./settings.ts";
import { McpTrouble, troubleOf } from "./trouble.ts";

export type ServerDeps = ConnectionDeps & {
  /** Keeps what it offers. */
  readonly see: (server: string, offer: Offer) => Promise<void>;
  readonly log: (line: string) => void;
};

export type ServerState = {
  readonly state: "not started" | "starting" | "ready" | "failed";
  readonly detail?: string;
};

/** A server that runs. `over` aborts with its end. */
export type LiveServer = { readonly connection: Connection; readonly over: AbortController };

const idleMs = 10 * 60_000;
const relistGapMs = 1_000;

/** One server from its start to its end, and over again. At most one of it runs. */
export class ServerLife {
  /** What it offers, as it said last in this process. */
  offer: Offer | undefined;
  readonly #settings: ServerSettings;
  readonly #deps: ServerDeps;
  readonly #listeners: Listeners;
  readonly #limit: RestartLimit;
  readonly #closing = new Set<Promise<void>>();
  #ending = new AbortController();
  #idle = new AbortController();
  #live: LiveServer | undefined;
  #starting: Promise<LiveServer> | undefined;
  #failure: string | undefined;
  #isListing = false;
  #isListWanted = false;

  constructor(settings: ServerSettings, deps: ServerDeps, onElicit: Listeners["onElicit"]) {
    this.#settings = settings;
    this.#deps = deps;
    this.#limit = restartLimit(deps.clock);
    this.#listeners = { onElicit, onToolsChanged: () => this.#wantList() };
  }

  get state(): ServerState {
    if (this.#starting !== undefined) return { state: "starting" };
    if (this.#live?.connection.isOpen() === true) return { state: "ready" };
    return this.#failure === undefined
      ? { state: "not started" }
      : { state: "failed", detail: this.#failure };
  }

  /** The one that runs, or a new one. Rejects with `McpTrouble`. */
  begin(): Promise<LiveServer> {
    if (this.#live?.connection.isOpen() === true) return Promise.resolve(this.#live);
    this.#starting ??= this.#open(this.#ending.signal)
      .then(
        (live) => this.#started(live),
        (error: unknown) => this.#failed(error),
      )
      .finally(() => (this.#starting = undefined));
    this.#starting.catch(() => {}); // whoever waits hears of it, and `state` tells
    return this.#starting;
  }

  /** Somebody uses it. */
  stopIdleTimer(): void {
    this.#idle.abort(noLongerNeeded);
  }

  /** Nobody uses it from now on; after a while it is ended. */
  startIdleTimer(): void {
    this.stopIdleTimer();
    const live = this.#live;
    if (live === undefined) return;
    this.#idle = new AbortController();
    this.#deps.clock.sleep(idleMs, this.#idle.signal).then(
      () => this.drop(live),
      () => {}, // somebody does again
    );
  }

  /** Ends it. `why`: it was not our wish. */
  drop(live: LiveServer, why?: string): void {
    if (live.over.signal.aborted) return;
    live.over.abort(noLongerNeeded);
    if (this.#live === live) this.#live = undefined;
    if (why !== undefined) this.#limit.failed((this.#failure = why));
    const { name } = this.#settings;
    const closed = live.connection[Symbol.asyncDispose]().catch((error: unknown) =>
      this.#deps.log(`the MCP server ${name} could not be ended: ${String(error)}`),
    );
    this.#closing.add(closed);
    void closed.then(() => this.#closing.delete(closed));
  }

  /** For good, unless it is allowed to begin again. Resolves when nothing of it is left. */
  async end(): Promise<void> {
    this.#ending.abort(noLongerNeeded);
    this.stopIdleTimer();
    await this.#starting?.catch(() => {});
    if (this.#live !== undefined) this.drop(this.#live);
    await Promise.all(this.#closing);
  }

  /** After its end: earlier failures do not count. */
  renew(): void {
    this.#ending = new AbortController();
    this.#failure = undefined;
    this.#limit.forget();
  }

  async #open(signal: AbortSignal): Promise<LiveServer> {
    await this.#limit.pause(signal);
    const connection = await openConnection(this.#settings, this.#deps, this.#listeners, signal);
    try {
      this.#isListWanted = false;
      this.offer = await this.#list(connection, signal);
      await this.#deps.see(this.#settings.name, this.offer);
      signal.throwIfAborted();
      return { connection, over: new AbortController() };
    } catch (error) {
      await connection[Symbol.asyncDispose]().catch(() => {});
      throw error;
    }
  }

  #started(live: LiveServer): LiveServer {
    this.#failure = undefined;
    this.#live = live;
    this.startIdleTimer();
    void live.connection.over.then((why) =>
      this.drop(live, `ended by itself${why === "" ? "" : `: ${why}`}`),
    );
    if (this.#isListWanted) this.#wantList();
    return live;
  }

  #failed(error: unknown): never {
    const trouble = troubleOf(error);
    if (!trouble.isLimit) this.#limit.failed(trouble.message);
    this.#failure = trouble.message;
    throw trouble;
  }

  async #list(connection: Connection, signal: AbortSignal): Promise<Offer> {
    const { connectMs } = this.#settings;
    using timer = callTimer(this.#deps.clock, connectMs);
    try {
      return await connection.list(AbortSignal.any([signal, timer.signal]));
    } catch (error) {
      if (timer.signal.aborted) throw new McpTrouble(`did not list its tools within ${connectMs / 1000} s`);
      throw troubleOf(error, connection.isOpen() ? "" : await connection.over);
    }
  }

  /** Never twice at once and with a pause between: a server may say "changed" without end. */
  #wantList(): void {
    this.#isListWanted = true;
    if (this.#isListing) return;
    this.#isListing = true;
    void this.#listAgain()
      .catch(() => {}) // it is over, or a call will find out
      .finally(() => (this.#isListing = false));
  }

  async #listAgain(): Promise<void> {
    while (this.#isListWanted) {
      this.#isListWanted = false;
      const live = this.#live;
      if (live === undefined) return;
      this.offer = await this.#list(live.connection, live.over.signal);
      await this.#deps.see(this.#settings.name, this.offer);
      await this.#deps.clock.sleep(relistGapMs, live.over.signal);
    }
  }
}

/** How often a server may be started within a while. */
type RestartLimit = {
  /** Before every start: waits longer the more there were. Rejects with `McpTrouble` when there were too many. */
  pause(signal: AbortSignal): Promise<void>;
  /** `why`: goes into what is said when there were too many. */
  failed(why: string): void;
  forget(): void;
};

const windowMs = 3 * 60_000;
const maxRestarts = 4;
const firstPauseMs = 100;

function restartLimit(clock: Clock): RestartLimit {
  let starts: readonly number[] = [];
  let lastFailure = Number.NEGATIVE_INFINITY;
  let lastWhy = "";
  return {
    async pause(signal) {
      const now = clock.monotonic();
      starts = starts.filter((at) => now - at < windowMs);
      const [oldest = now] = starts;
      if (starts.length > maxRestarts)
        throw tooOften(starts.length, Math.ceil((oldest + windowMs - now) / 1000), lastWhy);
      const pauseMs = starts.length === 0 ? 0 : firstPauseMs * 2 ** (starts.length - 1);
      const left = lastFailure + pauseMs - now;
      starts = [...starts, now];
      if (left > 0) await clock.sleep(left, signal, { hold: true });
    },
    failed(why) {
      lastFailure = clock.monotonic();
      lastWhy = why;
    },
    forget: () => void (starts = []),
  };
}

const tooOften = (times: number, seconds: number, why: string): McpTrouble =>
  new McpTrouble(
    `was started ${times} times within 3 minutes and did not stay. It is tried again in ${seconds} s at the earliest, or with /mcp restart. The last time it ${why}`,
    { isLimit: true },
  );
