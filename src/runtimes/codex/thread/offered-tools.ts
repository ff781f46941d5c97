import type { Json } from "../../../core/json.ts";
import { codexDynamicDefinition } from "../../../tools/definitions.ts";
import type { ToolSpec } from "../../../tools/tool.ts";

/** Our tools stand in a namespace of their own, so that they cannot be mistaken for codex's. */
export const hostNamespace = "talaria";

/**
 * Every host tool that a codex thread may be offered. Not here, on purpose: whatever reads, writes, searches or runs on
 * this machine. Codex has its own for that, inside its sandbox.
 */
export const offeredToCodex: ReadonlySet<string> = new Set(["session_search"]);

export const offered = (specs: readonly ToolSpec[], names: ReadonlySet<string>): readonly ToolSpec[] =>
  specs.filter((spec) => names.has(spec.name)).toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** Names the catalogue: a thread whose catalogue is another one is started anew. */
export const catalogue = (specs: readonly ToolSpec[]): string => specs.map((spec) => spec.name).join(",");

/** For `thread/start`. Not `nested`: the form for a codex that does not know namespaces with tools in them. */
export function dynamicTools(specs: readonly ToolSpec[], nested: boolean): Json {
  if (specs.length === 0) return [];
  if (!nested) return specs.map(flatDefinition);
  return [
    {
      type: "namespace",
      name: hostNamespace,
      description: "What Talaria remembers and can do for this person beyond this thread.",
      tools: specs.map((spec) => codexDynamicDefinition(spec)),
    },
  ];
}

const flatDefinition = ({ name, description, parameters }: ToolSpec): Json => ({
  namespace: hostNamespace,
  name,
  description,
  inputSchema: parameters,
});
