import { isPlainObject } from "../../src/core/json.ts";
import { fieldsOf, listOf, textIn } from "../../src/runtimes/codex/wire/fields.ts";

/** What a scripted model calls to learn of tools that it is not shown. */
export const lookAround: readonly object[] = [
  {
    type: "custom_tool_call",
    id: "e",
    call_id: "call_all",
    name: "exec",
    input: 'text("ALL " + ALL_TOOLS.map(({ name }) => name).join(" "))',
  },
  ...["agent", "goal", "spawn", "memory", "wait sleep schedule", "message"].map((query, at) => ({
    type: "tool_search_call",
    id: `s${at}`,
    call_id: `call_s${at}`,
    status: "completed",
    execution: "client",
    arguments: { query, limit: 50 },
  })),
];

/** Names of all tools in a request of codex to its model: shown, found by a search, or listed by a script. */
export function toolsIn(body: string): ReadonlySet<string> {
  const request = fieldsOf(JSON.parse(body));
  const items = listOf(request["input"]).map(fieldsOf);
  const lists = items.filter(({ type }) => type === "additional_tools" || type === "tool_search_output");
  const shown = [request, ...lists].flatMap(({ tools }) => listOf(tools)).flatMap(namesOf);
  const listed = items
    .filter(({ type }) => type === "custom_tool_call_output")
    .flatMap(({ output }) => /ALL ([^"\\]*)/.exec(JSON.stringify(output))?.[1]?.split(" ") ?? []);
  return new Set([...shown, ...listed.map((name) => name.replace("__", "."))]);
}

/** A model of the newest kind has the plain ones in a namespace, too. */
function namesOf(tool: unknown): readonly string[] {
  const fields = fieldsOf(tool);
  const name = textIn(fields, "name") ?? textIn(fields, "type") ?? JSON.stringify(tool);
  if (fields["type"] !== "namespace") return [name, ...described(fields)];
  const inside = listOf(fields["tools"]).filter(isPlainObject).flatMap(namesOf);
  return name === "functions" ? inside : inside.map((each) => `${name}.${each}`);
}

/** `exec` describes what a script may call, one heading or declaration for each. */
function described(tool: Readonly<Record<string, unknown>>): readonly string[] {
  if (tool["name"] !== "exec") return [];
  const text = textIn(tool, "description") ?? "";
  const declared = text.matchAll(/^### `(\w+)`|declare const tools: \{ (\w+)\(/gm);
  return Array.from(declared, ([, heading, name]) => (heading ?? name ?? "").replace("__", "."));
}
