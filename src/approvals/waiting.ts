import type { Principal } from "../core/principal.ts";
import type { Clock } from "../lib/clock.ts";

/** Another process may have answered, and cannot wake us. */
const lookEveryMs = 1000;

/** The open questions of this process. Whoever waits for one can be woken. */
export type Waiting = {
  /** Whose turn waits for the answer; undefined when nobody here waits for it, or no longer. */
  askerOf(id: string): Principal | undefined;
  /** Somebody has decided: look at once. */
  wake(id: string): void;
  /** From here on the question counts as waited for, until it is disposed or the signal aborts. */
  open(id: string, asker: Principal, signal: AbortSignal): Waiter;
};

export type Waiter = Disposable & {
  /** Until it is time to look again, somebody wakes it, or the signal aborts. */
  rest(clock: Clock, mostMs: number): Promise<void>;
};

type Bell = { readonly asker: Principal; readonly signal: AbortSignal; readonly ring: () => void };

export function openQuestions(): Waiting {
  const bells = new Map<string, Bell>();
  return {
    askerOf(id) {
      const bell = bells.get(id);
      return bell?.signal.aborted === false ? bell.asker : undefined;
    },
    wake: (id) => bells.get(id)?.ring(),
    open(id, asker, signal) {
      let rung = new AbortController();
      const ring = (): void => rung.abort();
      bells.set(id, { asker, signal, ring });
      signal.addEventListener("abort", ring);
      return {
        async rest(clock, mostMs) {
          const ms = Math.max(0, Math.min(lookEveryMs, mostMs));
          // `hold`: a process must not exit while a question is open.
          await clock.sleep(ms, rung.signal, { hold: true }).catch(() => {});
          if (rung.signal.aborted) rung = new AbortController();
        },
        [Symbol.dispose]() {
          signal.removeEventListener("abort", ring);
          bells.delete(id);
        },
      };
    },
  };
}

export type Closing = "expired" | "withdrawn";

export type WaitingFor<Row> = {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** As the row has it. */
  readonly expiresAt: number;
  readonly timeoutMs: number;
  readonly waiter: Waiter;
  /** Somebody sits where they can see it: the time does not run. */
  isFollowed(): boolean;
  /** Somebody came who has not seen it. */
  arrived(): void;
  /** Writes down that it waits until then, unless it is decided. */
  postpone(expiresAt: number): Promise<unknown>;
  /** The row once it is decided. Rejects when there is none. */
  look(): Promise<Row | undefined>;
  /** Decides it, unless somebody was first. */
  close(how: Closing): Promise<unknown>;
};

/**
 * Waits until the row is decided, by whomever. The row alone says how: what comes late finds it decided. While somebody
 * follows the session it has no end, and its time begins anew when the last one leaves.
 */
export async function waitForDecision<Row>(question: WaitingFor<Row>): Promise<Row> {
  const { clock, signal } = question;
  let limit = limitAt(question, question.expiresAt);
  let written = question.expiresAt;
  let followed = question.isFollowed();
  for (;;) {
    const before = followed;
    followed = question.isFollowed();
    if (followed) limit = limitAt(question, clock.now() + question.timeoutMs);
    if (followed && !before) question.arrived();
    const left = Math.min(limit.deadline - clock.monotonic(), limit.expiresAt - clock.now());
    if (signal.aborted || left <= 0) await question.close(signal.aborted ? "withdrawn" : "expired");
    const row = await question.look();
    if (row !== undefined) return row;
    if (isBehind(written, limit.expiresAt, question.timeoutMs, before && !followed)) {
      await question.postpone(limit.expiresAt);
      written = limit.expiresAt;
    }
    await question.waiter.rest(clock, left);
  }
}

/** On both clocks, so that setting the wall clock back does not keep a question open. */
const limitAt = (
  { clock, timeoutMs }: Pick<WaitingFor<never>, "clock" | "timeoutMs">,
  expiresAt: number,
) => ({
  deadline: clock.monotonic() + timeoutMs,
  expiresAt,
});

/** Other processes go by the row, and after a crash it is all there is: it is written now and then, and when the time begins. */
const isBehind = (written: number, expiresAt: number, timeoutMs: number, begins: boolean): boolean =>
  expiresAt !== written && (begins || expiresAt - written >= timeoutMs / 2);
