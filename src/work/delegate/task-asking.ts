import type { Asking } from "../../agent/index.ts";
import type { Question } from "../../core/asking.ts";
import { short } from "../../core/plain-text.ts";
import { nobodyWaits } from "../../lib/nobody-waits.ts";
import type { ToolContext } from "../../tools/tool.ts";
import type { Task } from "./task.ts";

export type AskedFor = {
  readonly task: Task;
  readonly runtime: string;
  readonly from: Pick<ToolContext, "ask" | "inquire" | "clock">;
  /** Aborts when nobody may say yes any more. */
  readonly stopped: AbortSignal;
  /** Shows what it waits for, until the function that it gives is called. */
  readonly waits: (what: string) => () => void;
};

/** Most questions are answered by the policy, and nobody is told of them. */
const noticeableMs = 300;

/**
 * A task has nobody of its own to ask: its questions are those of the turn that handed it on, with that one's ledger,
 * grants and people.
 */
export function taskAsking({ task, runtime, from, stopped, waits }: AskedFor): Asking {
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
      answered.abort(nobodyWaits);
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
