import type { Asking } from "../../agent/index.ts";
import type { Stopped } from "../../core/host.ts";
import type { SessionId, TurnId } from "../../core/ids.ts";
import type { Delegated } from "../../core/tooling.ts";
import type { Clock } from "../../lib/clock.ts";
import { nobodyWaits } from "../../lib/nobody-waits.ts";
import type { LiveTask } from "./live-task.ts";

/** Tasks that turns of this process have handed on and that have not ended. */
export type LiveTasks = {
  /** Keeps it until it is over. */
  add(task: LiveTask): void;
  /** Of one session, or all. */
  list(parent?: SessionId): readonly Delegated[];
  /** `undefined`: no task is done in this session now. */
  stop(session: SessionId): Promise<Stopped> | undefined;
  /** Where the questions of such a session go. */
  asking(session: SessionId): Asking | undefined;
  /** Ends what a turn has handed on. Resolves when that has ended, and after 5 s at the latest. */
  settled(turn: TurnId): Promise<void>;
};

/** A runtime owes an end within this time. */
const settleMs = 5000;

export function liveTasks(clock: Clock): LiveTasks {
  const live = new Map<SessionId, LiveTask>();
  return {
    add(one) {
      live.set(one.session, one);
      void one.over.then(() => live.delete(one.session));
    },
    list: (parent) =>
      [...live.values()]
        .map((one) => one.view())
        .filter((one) => parent === undefined || one.parent === parent),
    stop(session) {
      const one = live.get(session);
      one?.stop("person");
      return one?.over.then(() => ({ interrupted: true, setAside: 0, ended: [] }));
    },
    asking: (session) => live.get(session)?.asking,
    async settled(turn) {
      const all = [...live.values()].filter((one) => one.turn === turn);
      if (all.length === 0) return;
      for (const one of all) one.stop("turn");
      const ended = new AbortController();
      const enough = clock.sleep(settleMs, ended.signal, { hold: true }).catch(() => {});
      await Promise.race([Promise.all(all.map((one) => one.over)), enough]);
      ended.abort(nobodyWaits);
    },
  };
}
