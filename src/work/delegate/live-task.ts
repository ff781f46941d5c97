import type { Asking } from "../../agent/index.ts";
import type { EndedEvent, Envelope } from "../../core/events.ts";
import type { SessionId, TurnId } from "../../core/ids.ts";
import { short } from "../../core/plain-text.ts";
import type { Delegated } from "../../core/tooling.ts";
import type { ToolContext } from "../../tools/tool.ts";
import { amounts, liveLines } from "./live-lines.ts";
import { taskAsking } from "./task-asking.ts";
import { type StoppedBy, taskEnd } from "./task-end.ts";
import { taskTally } from "./task-tally.ts";
import type { Task, TaskResult } from "./task.ts";

/** A task from the moment it is handed on until it has ended. */
export type LiveTask = {
  readonly task: Task;
  readonly session: SessionId;
  readonly runtime: string;
  /** The turn that handed it on. */
  readonly turn: TurnId;
  readonly asking: Asking;
  /** Aborts when it is to end. */
  readonly stopped: AbortSignal;
  readonly over: Promise<void>;
  stop(by: StoppedBy): void;
  /** There is no place for it yet. */
  wait(): void;
  /** It has its place, and is sent to its session. */
  begin(): void;
  hear(event: Envelope): void;
  view(): Delegated;
  /** `ended`: how its turn did, or why there is none. */
  end(ended: EndedEvent | Error | undefined): TaskResult;
};

export type TaskPlace = {
  readonly number: number;
  readonly session: SessionId;
  readonly runtime: string;
  readonly from: ToolContext;
  readonly redact: (text: string) => string;
};

export function liveTask(task: Task, place: TaskPlace): LiveTask {
  const { number, session, runtime, from, redact } = place;
  const show = liveLines(from.progress, number, runtime);
  const stopping = new AbortController();
  const over = Promise.withResolvers<void>();
  const about = { number, session, parent: from.session, goal: redact(task.goal), runtime };
  const startedAt = from.clock.now();
  let stoppedBy: StoppedBy | undefined;
  let begun = false;
  let now = "";

  const does = (text: string, mark: "▸" | "?" | "…" = "▸"): void => {
    now = short(redact(text), 100);
    show(mark, now);
  };
  const waits = (what: string): (() => void) => {
    const before = now;
    does(what, "?");
    return () => does(before);
  };
  const tally = taskTally(does);

  return {
    task,
    session,
    runtime,
    turn: from.turn,
    stopped: stopping.signal,
    over: over.promise,
    asking: taskAsking({ task, runtime, from, stopped: stopping.signal, waits }),
    stop(by) {
      stoppedBy ??= by;
      stopping.abort(new Error("it was stopped"));
    },
    wait: () => does("waits for a free place", "…"),
    begin() {
      begun = true;
      does(task.goal);
    },
    hear: tally.hear,
    view: () => ({ ...about, startedAt, ...tally.counts(), now }),
    end(ended) {
      const { notices } = tally;
      const known = taskEnd(ended, stoppedBy);
      const text = known.end === "done" ? known.text : tally.said() || known.text;
      const result = { ...known, text, ...tally.counts(), runtime, notices, ...(begun ? { session } : {}) };
      show(marks[known.end], [amounts(result), redact(known.why ?? "")].filter(Boolean).join(", "));
      over.resolve();
      return result;
    },
  };
}

const marks = { done: "✓", unconfirmed: "✓", failed: "✗", stopped: "■" } as const;
