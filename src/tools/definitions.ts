import { z } from "zod";
import type { Json } from "../core/json.ts";
import type { Tool, ToolSpec } from "./tool.ts";

/** The tool as protocols need it, derived from its one schema. */
export const toolSpec = (tool: Tool): ToolSpec => ({
  name: tool.name,
  description: tool.description,
  parameters: tool.parameters ?? parametersOf(tool),
  interactive: tool.interactive === true,
  deferred: tool.deferred === true,
});

/** Making a JSON Schema is slow enough to be felt when every turn does it for every tool. */
const known = new WeakMap<z.ZodObject, Json>();

function parametersOf({ schema }: Tool): Json {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, { io: "input" });
  known.set(schema, parameters as Json);
  return parameters as Json;
}

/** Not strict: a strict schema may have no optional property. */
export const responsesDefinition = ({ name, description, parameters }: ToolSpec): Json => ({
  type: "function",
  name,
  description,
  parameters,
  strict: false,
});

/** A deferred tool is not shown to the model up front; it finds it by searching. */
export const codexDynamicDefinition = (
  { name, description, parameters }: ToolSpec,
  options: { readonly deferLoading?: boolean } = {},
): Json => ({
  type: "function",
  name,
  description,
  inputSchema: parameters,
  ...(options.deferLoading === undefined ? {} : { deferLoading: options.deferLoading }),
});
