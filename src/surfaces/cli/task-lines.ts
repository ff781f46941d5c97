import type { Envelope } from "../../core/events.ts";

/** Whole lines of what a call that hands tasks on tells about them while it runs. Other output is only in the result. */
export function taskLines(): (event: Envelope) => readonly string[] {
  const unfinished = new Map<string, string>();
  return (event) => {
    if (event.type === "begin" && event.item.tool === "delegate_task") unfinished.set(event.item.id, "");
    if (event.type === "item") unfinished.delete(event.item.id);
    if (event.type !== "delta" || event.of !== "output") return [];
    const before = unfinished.get(event.item);
    if (before === undefined) return [];
    const lines = (before + event.text).split("\n");
    unfinished.set(event.item, lines.pop() ?? "");
    return lines;
  };
}
