import type { AdapterHealth } from "../../../core/gateway/chat.ts";
import type { Clock } from "../../../lib/clock.ts";

/** Discord's heartbeat is every 41 s, and the library itself gives up a socket that leaves one unanswered. */
const silentMs = 90_000;
const joinMs = 60_000;
/** A bot may begin 1,000 sessions a day; beyond that Discord takes its token away. So often a client may begin one by itself. */
const newSessions = { most: 5, withinMs: 10 * 60_000 };

/** How the way in is, by what came in alone. */
export class Presence {
  #state: AdapterHealth["state"] = "starting";
  #detail: string | undefined;
  #receivedAt: number | undefined;
  #restarts = 0;
  #heardAt: number;
  #lostAt: number | undefined;
  #lastSeq = 0;
  #begun: readonly number[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#heardAt = clock.monotonic();
    this.#lostAt = this.#heardAt;
  }

  heard(): void {
    this.#heardAt = this.#clock.monotonic();
    this.#receivedAt = this.#clock.now();
  }

  /** `false`: sessions begin much too often. */
  joined(isNew: boolean): boolean {
    this.#lostAt = undefined;
    this.#state = "connected";
    this.#detail = undefined;
    if (!isNew) return true;
    const now = this.#clock.monotonic();
    this.#begun = [...this.#begun.filter((at) => now - at < newSessions.withinMs), now];
    return this.#begun.length <= newSessions.most;
  }

  /** `false`: it was lost before. */
  lost(why: string): boolean {
    this.#detail = why;
    if (this.#lostAt !== undefined) return false;
    this.#lostAt = this.#clock.monotonic();
    this.#state = "recovering";
    this.#restarts += 1;
    return true;
  }

  /** Another connection is tried, and has its own time to come about. */
  tries(): void {
    this.#lastSeq = 0;
    this.#begun = [];
    this.#lostAt = this.#clock.monotonic();
  }

  /** Takes the number of an event. `true`: one before it never came. */
  isGap(type: string, seq: number): boolean {
    const isGap = type !== "READY" && this.#lastSeq > 0 && seq > this.#lastSeq + 1;
    if (type === "READY" || seq > this.#lastSeq) this.#lastSeq = seq;
    return isGap;
  }

  /** Why this connection is to be replaced. */
  overdue(): string | undefined {
    const now = this.#clock.monotonic();
    if (this.#lostAt === undefined) {
      return now - this.#heardAt >= silentMs ? "Discord has gone silent." : undefined;
    }
    return now - this.#lostAt >= joinMs ? (this.#detail ?? "Discord does not answer.") : undefined;
  }

  get isStarting(): boolean {
    return this.#state === "starting";
  }

  failed(why: string): void {
    this.#state = "failed";
    this.#detail = why;
  }

  stopped(): void {
    this.#state = "stopped";
    this.#detail = undefined;
  }

  health(): Omit<AdapterHealth, "eventAt"> {
    return {
      state: this.#state,
      restarts: this.#restarts,
      ...(this.#receivedAt === undefined ? {} : { receivedAt: this.#receivedAt }),
      ...(this.#detail === undefined ? {} : { detail: this.#detail }),
    };
  }
}
