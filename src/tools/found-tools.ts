import { stableJson } from "../core/json.ts";
import type { ToolSpec } from "./tool.ts";

// Without zod: the loop is loaded before any tool is.

export const toolSearchName = "tool_search";

const heading = "## ";

/** What a model is told of tools that it was not shown. */
export const foundText = (specs: readonly ToolSpec[]): string =>
  specs
    .map(
      ({ name, description, parameters }) =>
        `${heading}${name}\n${description}\nArguments: ${stableJson(parameters)}`,
    )
    .join("\n\n");

/** The names, read off such a text: that is what a history has of it. */
export const namesFound = (text: string): readonly string[] =>
  text
    .split("\n")
    .filter((line) => line.startsWith(heading))
    .map((line) => line.slice(heading.length).trim());
