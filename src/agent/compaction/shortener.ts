import type { NoticeEvent } from "../../core/events.ts";
import type { SessionId } from "../../core/ids.ts";
import type { Message } from "../../core/messages.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Store } from "../../store/store.ts";
import { type CompactTarget, type Compacted, type CompactionDeps, compact } from "./compact.ts";
import { type SessionHistory, loadGivenHistory } from "../session-history.ts";

/** Shortens conversations without being asked to, and leaves alone for a while what it could not shorten. */
export type Shortener = {
  /** Before a turn. `begin` is called if it takes time; what came of it is a notice, if anything did. */
  before(
    target: CompactTarget,
    past: SessionHistory,
    begin: (model: string) => void,
    signal: AbortSignal,
  ): Promise<NoticeEvent | undefined>;
  /** In a turn whose model could not read all of it: the shorter history, if it can be had. */
  overflow(
    target: CompactTarget,
    say: (notice: NoticeEvent) => void,
    signal: AbortSignal,
  ): Promise<readonly Message[] | undefined>;
};

/** After one failure, two, and more. */
const restsMs = [60_000, 300_000, 900_000];

type Rest = { readonly failures: number; readonly until: number };

export function shortener(
  parts: CompactionDeps & { readonly store: Store; readonly clock: Clock },
): Shortener {
  const resting = new Map<SessionId, Rest>();

  function note(session: SessionId, result: Compacted, signal: AbortSignal): NoticeEvent | undefined {
    if (signal.aborted) return undefined;
    if ("done" in result) {
      resting.delete(session);
      return { type: "notice", code: "compacted", text: result.done };
    }
    const [why, failed] = "failed" in result ? [result.failed, 1] : [result.notNeeded, 0];
    const failures = (resting.get(session)?.failures ?? 0) + failed;
    const ms = restsMs[Math.max(0, failures - 1)] ?? 900_000;
    resting.set(session, { failures, until: parts.clock.now() + ms });
    const text = `The conversation is long and could not be shortened: ${why} All of it is given to the model; this is tried again in ${ms / 1000} s at the earliest.`;
    return { type: "notice", code: "compaction_failed", text };
  }

  return {
    async before(target, past, begin, signal) {
      const { id } = target.session;
      if ((resting.get(id)?.until ?? 0) > parts.clock.now()) return undefined;
      let due = false;
      const result = await compact(parts, target, "full", signal, {
        past,
        begin(model) {
          due = true;
          begin(model);
        },
      });
      return due ? note(id, result, signal) : undefined;
    },
    async overflow(target, say, signal) {
      const result = await compact(parts, target, "overflow", signal);
      const notice = note(target.session.id, result, signal);
      if (notice !== undefined) say(notice);
      return "done" in result ? (await loadGivenHistory(parts.store, target.session.id)).view : undefined;
    },
  };
}
