import { beginLine } from "../../core/call-words.ts";
import type { Envelope } from "../../core/events.ts";
import { short } from "../../core/plain-text.ts";

/** What is shown while a turn works. */
export type TurnView = {
  readonly since: number;
  /** What it does now. */
  readonly doing: string;
  /** The answer so far. */
  readonly text: string;
  readonly calls: number;
};

export const newView = (since: number): TurnView => ({ since, doing: "Thinking", text: "", calls: 0 });

/** Pure: the same events give the same words. */
export function viewAfter(view: TurnView, event: Envelope): TurnView {
  switch (event.type) {
    case "status":
      return { ...view, doing: event.text === undefined ? statusWords[event.state] : short(event.text, 120) };
    case "begin":
      if (event.item.kind !== "call") return view;
      return { ...view, doing: beginLine(event.item).slice(2) };
    case "delta":
      if (event.of !== "text") return view;
      return { ...view, doing: "Answering", text: view.text + event.text };
    case "item":
      if (event.item.kind === "call") return { ...view, calls: view.calls + 1, doing: "Thinking" };
      // What it said on the way is no part of the answer.
      return event.item.kind === "text" && event.item.phase === "commentary" ? { ...view, text: "" } : view;
    case "approval":
      return event.approval.decision === undefined ? { ...view, doing: "Waiting for an approval" } : view;
    case "inquiry":
      return event.inquiry.closed === undefined ? { ...view, doing: "Waiting for your answer" } : view;
    default:
      return view;
  }
}

const statusWords = {
  thinking: "Thinking",
  tool: "Working",
  waiting: "Waiting",
  retrying: "Trying again",
  compacting: "Shortening the conversation",
} as const;

/** `stream`: with the answer as it is written. */
export function statusText({ since, doing, text, calls }: TurnView, now: number, stream: boolean): string {
  const seconds = Math.max(0, Math.round((now - since) / 1000));
  const facts = [`${seconds} s`, ...(calls > 0 ? [`${calls} ${calls === 1 ? "step" : "steps"}`] : [])];
  const line = `⏳ ${doing.replaceAll(/[`*_~[\]]/g, " ")} · ${facts.join(" · ")}`;
  return stream && text !== "" ? `${text}\n\n${line}` : line;
}
