import { decidedText } from "../../core/asking-words.ts";
import type { TurnEvent } from "../../core/events.ts";
import { beginLine, callLine } from "../../core/call-words.ts";
import type { Item } from "../../core/items.ts";
import { clean, short } from "../../core/plain-text.ts";

/** Turns that are over, as plain lines: what was said, each call, and what did not go the ordinary way. */
export function eventLines(events: readonly TurnEvent[]): readonly string[] {
  const unfinished = new Map<string, string>();
  const lines: string[] = [];
  const leftOver = (): void => {
    for (const text of unfinished.values()) lines.push(...textLines(text));
    unfinished.clear();
  };
  for (const event of events) {
    if (event.type === "delta" && event.of === "text")
      unfinished.set(event.item, (unfinished.get(event.item) ?? "") + event.text);
    if (event.type === "item") unfinished.delete(event.item.id);
    if (event.type === "ended") leftOver();
    lines.push(...linesOf(event));
  }
  leftOver();
  return lines;
}

function linesOf(event: TurnEvent): readonly string[] {
  switch (event.type) {
    case "started":
      return [`· ${clean(event.runtime)}, ${clean(event.model)}, ${clean(event.cwd)}`];
    case "begin":
      return event.item.kind === "call" ? [beginLine(event.item)] : [];
    case "item":
      return itemLines(event.item);
    case "notice":
      return [`· ${clean(event.text)}`];
    case "status":
      return event.state === "retrying" ? [`· ${clean(event.text ?? "trying again")}`] : [];
    case "ended":
      return [
        ...(event.fault === undefined ? [] : [`${clean(event.fault.message)} ${clean(event.fault.next)}`]),
        `· ${event.outcome}`,
      ];
    case "approval":
      return [`· ${decidedText(event.approval) ?? `asked: ${short(event.approval.question.summary, 160)}`}`];
    case "delta":
    case "inquiry":
    case "usage":
      return [];
  }
}

function itemLines(item: Item): readonly string[] {
  switch (item.kind) {
    case "text":
    case "note":
      return textLines(item.text);
    case "call":
      return [callLine(item)];
    case "thinking":
      return [];
  }
}

const textLines = (text: string): readonly string[] => clean(text.trimEnd()).split("\n");
