import type { Message } from "../../core/messages.ts";
import { namesFound, toolSearchName } from "../../tools/found-tools.ts";
import type { ToolSpec } from "../../tools/tool.ts";

/** The tools that the model is given: the list only ever grows at its end, so that prompt caches hold. */
export type ShownTools = {
  now(): readonly ToolSpec[];
  /** Deferred ones of these names are given from now on. */
  add(names: readonly string[]): void;
};

/** `messages`: what was said before. Tools that were found or called there are given from the beginning. */
export function shownTools(specs: readonly ToolSpec[], messages: readonly Message[]): ShownTools {
  const deferred = new Map(specs.filter((spec) => spec.deferred).map((spec) => [spec.name, spec]));
  const found = new Set<string>();
  const add = (names: readonly string[]): void => {
    for (const name of names) if (deferred.has(name)) found.add(name);
  };
  add(namesIn(messages));
  // Not later in the turn: what goes from the middle of the list costs more than it saves.
  const isAllFound = found.size === deferred.size;
  const always = specs.filter(
    ({ name, deferred: later }) => !later && !(isAllFound && name === toolSearchName),
  );
  return { add, now: () => [...always, ...[...found].flatMap((name) => deferred.get(name) ?? [])] };
}

/** Names that were called, and those that searches gave, in the order in which they came up. */
function namesIn(messages: readonly Message[]): readonly string[] {
  const searches = new Set<string>();
  return messages.flatMap((message) => {
    if (message.role === "tool") return searches.has(message.toolCallId) ? namesFound(message.content) : [];
    if (message.role !== "assistant") return [];
    const calls = message.toolCalls ?? [];
    for (const { id, name } of calls) if (name === toolSearchName) searches.add(id);
    return calls.map(({ name }) => name);
  });
}
