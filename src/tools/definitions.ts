import { z } from "zod";
import type { Json } from "../core/json.ts";
import type { Tool, ToolSpec } from "./tool.ts";

/** Making a JSON Schema is slow enough to be felt when every turn does it for every tool. */
const specs = new WeakMap<Tool, ToolSpec>();

/** The tool as protocols need it, derived from its one schema. */
export function toolSpec(tool: Tool): ToolSpec {
  const known = specs.get(tool);
  if (known !== undefined) return known;
  const spec: ToolSpec = {
    name: tool.name,
    description: tool.description,
    parameters: tool.parameters ?? parametersOf(tool),
    interactive: tool.interactive === true,
    deferred: tool.deferred === true,
  };
  specs.set(tool, spec);
  return spec;
}

function parametersOf({ schema }: Tool): Json {
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, { io: "input" });
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

export const chatDefinition = ({ name, description, parameters }: ToolSpec): Json => ({
  type: "function",
  function: { name, description, parameters },
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

export const mcpDefinition = ({ name, description, parameters }: ToolSpec): Json => ({
  name,
  description,
  inputSchema: parameters,
});
