import { z } from "zod";
import { cutEnd } from "./cut-middle.ts";
import { toolSpec } from "./definitions.ts";
import { foundText, toolSearchName } from "./found-tools.ts";
import type { Tool } from "./tool.ts";

const schema = z.object({
  query: z.string().min(1).describe("What you want to do, in a few words, or a tool's name"),
  limit: z.int().min(1).max(20).default(5).describe("How many tools to return"),
});

/** A tool that cannot be used here, and why. */
export type MissingTool = { readonly tool: Tool; readonly why: string };

/** Finds tools that a model was not shown. What it finds can be called from then on; of what is missing it says why. */
export function toolSearch(
  deferred: readonly Tool[],
  missing: readonly MissingTool[] = [],
): Tool<typeof schema> {
  const sets = [...Map.groupBy(deferred, ({ toolset }) => toolset).keys()].toSorted();
  return {
    name: toolSearchName,
    toolset: "tools",
    description: `Finds tools that are not listed here, by words. There are some for: ${sets.join(", ")}. Those it returns can be called from then on.`,
    schema,
    effect: "none",
    timeoutMs: 5_000,
    maxOutputChars: 40_000,
    async run({ query, limit }) {
      const hits = best(deferred, query).slice(0, limit);
      const absent = whyMissing(missing, query);
      if (hits.length === 0)
        return { ok: true, output: [nothingFits(query, deferred), ...absent].join("\n") };
      const found = hits.map(({ name }) => name);
      return { ok: true, output: [foundText(hits.map(toolSpec)), ...absent].join("\n"), found };
    },
  };
}

function nothingFits(query: string, tools: readonly Tool[]): string {
  const sets = Map.groupBy(tools, ({ toolset }) => toolset);
  const lines = [...sets]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([set, some]) => `${set}: ${names(some).join(", ")}`);
  return [`No tool fits "${cutEnd(query, 100)}". These can be searched for, by their names:`, ...lines].join(
    "\n",
  );
}

/** The same reason is said once. */
function whyMissing(missing: readonly MissingTool[], query: string): readonly string[] {
  const fitting = new Set(
    best(
      missing.map(({ tool }) => tool),
      query,
    ).slice(0, 3),
  );
  const reasons = new Set(missing.filter(({ tool }) => fitting.has(tool)).map(({ why }) => why));
  return [...reasons].map((why) => `Cannot be used here: ${cutEnd(why, 500)}`);
}

const names = (tools: readonly Tool[]): readonly string[] => tools.map(({ name }) => name).toSorted();

/** The same words always find the same tools in the same order. */
function best(tools: readonly Tool[], query: string): readonly Tool[] {
  const asked = [...new Set(wordsOf(query))].filter((word) => !fillers.has(word));
  return tools
    .map((tool) => ({ tool, score: scoreOf(tool, asked, query.trim().toLowerCase()) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
    .map(({ tool }) => tool);
}

function scoreOf({ name, toolset, description }: Tool, asked: readonly string[], query: string): number {
  if (name.toLowerCase() === query) return Infinity;
  const fields = [
    { words: wordsOf(name), weight: 4 },
    { words: wordsOf(toolset), weight: 2 },
    { words: wordsOf(description), weight: 1 },
  ];
  const perWord = asked.map((word) =>
    Math.max(...fields.map(({ words, weight }) => weight * likeness(words, word))),
  );
  return perWord.reduce((sum, score) => sum + score, 0);
}

/** A word in another form (`picture`, `pictures`) counts half. */
function likeness(words: readonly string[], word: string): number {
  if (words.includes(word)) return 1;
  return words.some((other) => isForm(word, other) || isForm(other, word)) ? 0.5 : 0;
}

const isForm = (long: string, short: string): boolean => short.length >= 3 && long.startsWith(short);

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

const fillers: ReadonlySet<string> = new Set(
  "a an and at by for from i in into is it me my of on or that the this to tool tools use with".split(" "),
);
