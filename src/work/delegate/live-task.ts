import type { Asking } from "../../agent/index.ts";
import type { Question } from "../../core/asking.ts";
import type { EndedEvent, Envelope } from "../../core/events.ts";
import { FaultError } from "../../core/faults.ts";
import { Refusal } from "../../core/host.ts";
import type { SessionId, TurnId } from "../../core/ids.ts";
import { short } from "../../core/plain-text.ts";
import type { Delegated } from "../../core/tooling.ts";
import { tokenCount } from "../../core/usage.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";
import type { ToolContext } from "../../tools/tool.ts";
import { amounts, liveLines, callWords } from "./live-lines.ts";
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
  /** It waits for a free slot. */
  wait(): void;
  /** It has its slot, and is sent to its session. */
  begin(): void;
  hear(event: Envelope): void;
  view(): Delegated;
  /** `ended`: how its turn did, or why there is none. */
  end(ended: EndedEvent | Error | undefined): TaskResult;
};

export type TaskContext = {
  readonly number: number;
  readonly session: SessionId;
  readonly runtime: string;
  readonly from: ToolContext;
  readonly redact: (text: string) => string;
};

export function liveTask(task: Task, context: TaskContext): LiveTask {
  const { number, session, runtime, from, redact } = context;
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

type TaskAskingDeps = {
  readonly task: Task;
  readonly runtime: string;
  readonly from: Pick<ToolContext, "ask" | "inquire" | "clock">;
  /** Aborts when nobody may say yes any more. */
  readonly stopped: AbortSignal;
  /** Shows what it waits for, until the function that it gives is called. */
  readonly waits: (what: string) => () => void;
};

/** Most questions are answered by the policy at once, and need not be shown. */
const noticeableMs = 300;

/**
 * A task has nobody of its own to ask: its questions are those of the turn that handed it on, with that one's ledger,
 * grants and people.
 */
function taskAsking({ task, runtime, from, stopped, waits }: TaskAskingDeps): Asking {
  const { clock } = from;
  const whose = `for the delegated task “${short(task.goal, 40)}”`;

  async function shown<Answer>(what: string, wait: () => Promise<Answer>): Promise<Answer> {
    const answered = new AbortController();
    const waiting = clock.sleep(noticeableMs, answered.signal).then(
      () => waits(`waits for an answer: ${what}`),
      () => undefined, // nobody had to wait
    );
    try {
      return await wait();
    } finally {
      answered.abort(noLongerNeeded);
      (await waiting)?.();
    }
  }

  const marked = (question: Question): Question => ({
    ...question,
    summary: `${whose}: ${question.summary}`,
    reason: [`Asked ${whose}, which runs on ${runtime}.`, question.reason ?? ""].join(" ").trim(),
  });

  return {
    ask: (question, signal, call) =>
      shown(question.summary, () => from.ask(marked(question), AbortSignal.any([signal, stopped]), call)),
    inquire: (form, signal) =>
      shown(form.title, () =>
        from.inquire({ ...form, title: `${whose}: ${form.title}` }, AbortSignal.any([signal, stopped])),
      ),
  };
}

/** `turn`: it went with the turn that handed it on. */
type StoppedBy = "person" | "turn";

/** How a task ended: as its turn did, or because there could be none. */
function taskEnd(
  ended: EndedEvent | Error | undefined,
  stoppedBy: StoppedBy | undefined,
): Pick<TaskResult, "end" | "why" | "text"> {
  const { outcome = "interrupted", text = "" } = ended instanceof Error ? broken : (ended ?? {});
  if (outcome === "done") return { end: "done", text };
  if (outcome === "unconfirmed")
    return { end: "unconfirmed", text, why: "it probably finished, but nobody could say so" };
  if (outcome === "interrupted" || stoppedBy !== undefined)
    return { end: "stopped", text, why: stopWords[stoppedBy ?? "person"] };
  return { end: "failed", text, why: ended instanceof Error ? errorWords(ended) : faultWords(ended) };
}

const broken = { outcome: "failed", text: "" } as const;

const stopWords: Readonly<Record<StoppedBy, string>> = {
  person: "stopped by the person",
  turn: "stopped with the turn that handed it on",
};

const faultWords = (ended: EndedEvent | undefined): string =>
  ended?.fault === undefined ? "It did not say why." : `${ended.fault.message} ${ended.fault.next}`;

function errorWords(error: Error): string {
  if (error instanceof Refusal) return `${error.message} ${error.next}`;
  return error instanceof FaultError ? `${error.message} ${error.fault.next}` : error.message;
}

/** What the events of its session tell about a task. */
type TaskTally = {
  hear(event: Envelope): void;
  counts(): Pick<TaskResult, "calls" | "tokens">;
  /** Everything that it said, the end of it when it is long. */
  said(): string;
  readonly notices: readonly string[];
};

/** A report has room for no more. */
const mostSaid = 24_000;
const mostNotices = 5;

/** `does` is called with what the task does now. */
function taskTally(does: (text: string) => void): TaskTally {
  const notices: string[] = [];
  let [calls, tokens, said] = [0, 0, ""];
  return {
    hear(event) {
      if (event.type === "begin" && event.item.kind === "call") does(callWords(event.item));
      if (event.type === "status" && event.text !== undefined) does(event.text);
      if (event.type === "item" && event.item.kind === "call") calls += 1;
      if (event.type === "item" && event.item.kind === "text")
        said = `${said}\n\n${event.item.text}`.trim().slice(-mostSaid);
      if (event.type === "usage") tokens = tokenCount(event);
      if (event.type === "ended" && event.usage !== undefined) tokens = tokenCount(event.usage);
      if (event.type === "notice" && notices.length < mostNotices) notices.push(event.text);
    },
    counts: () => ({ calls, tokens }),
    said: () => said,
    notices,
  };
}
