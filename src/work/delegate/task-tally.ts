import type { Envelope } from "../../core/events.ts";
import { tokenCount } from "../../core/usage.ts";
import { callWords } from "./live-lines.ts";
import type { TaskResult } from "./task.ts";

/** What is known of a task by what its session says. */
export type TaskTally = {
  hear(event: Envelope): void;
  counts(): Pick<TaskResult, "calls" | "tokens">;
  /** Everything that it said, the end of it when it is long. */
  said(): string;
  readonly notices: readonly string[];
};

/** More than that fits into no answer. */
const mostSaid = 24_000;
const mostNotices = 5;

/** `does` is told what it does now. */
export function taskTally(does: (text: string) => void): TaskTally {
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
