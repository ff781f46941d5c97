import { short } from "../../core/plain-text.ts";
import type { ListedTool } from "../../core/tooling.ts";
import { columns } from "./columns.ts";

/** All tools by set, for people. */
export function toolListText(tools: readonly ListedTool[]): string {
  if (tools.length === 0) return "There are no tools.";
  const sets = [...Map.groupBy(tools, ({ toolset }) => toolset)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const rows = sets.flatMap(([set, some]) => [[short(set, 60)], ...some.map(toolRow)]);
  const missing = tools.filter(({ off, unavailable }) => !off && unavailable !== undefined);
  const reasons = [...Map.groupBy(missing, ({ unavailable }) => unavailable)];
  const later = tools.filter(
    ({ deferred, off, unavailable }) => deferred && !off && unavailable === undefined,
  );
  return [
    columns([["tool", "state", "effect", "runtimes", "about"], ...rows]),
    ...(missing.length === 0 ? [] : ["Not usable here:"]),
    ...reasons.map(
      ([why = "", some]) => `  ${some.map(({ name }) => short(name, 60)).join(", ")}: ${short(why, 200)}`,
    ),
    "Codex brings its own tools for commands and files; what you switch off is off there too.",
    ...new Set(tools.flatMap(({ codexGap = [] }) => codexGap)),
    ...(later.length === 0 ? [] : [foundBySearch(later.length)]),
  ].join("\n");
}

const toolRow = (tool: ListedTool): readonly string[] => [
  `  ${short(tool.name, 60)}`,
  stateOf(tool),
  tool.effect,
  tool.runtimes.join(", "),
  short(tool.about, 80),
];

function stateOf({ off, unavailable }: ListedTool): string {
  if (off) return "off";
  return unavailable === undefined ? "on" : "missing";
}

const foundBySearch = (count: number): string =>
  count === 1
    ? "1 of them is not shown to the model up front: it finds it by searching."
    : `${count} of them are not shown to the model up front: it finds them by searching.`;
