import type { EndedEvent } from "../../core/events.ts";
import { FaultError } from "../../core/faults.ts";
import { Refusal } from "../../core/host.ts";
import type { TaskResult } from "./task.ts";

/** `turn`: it went with the turn that handed it on. */
export type StoppedBy = "person" | "turn";

/** How a task ended: as its turn did, or because there could be none. */
export function taskEnd(
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
