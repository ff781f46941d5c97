import { type Json, isPlainObject } from "../../../core/json.ts";
import { responsesDefinition } from "../../../tools/definitions.ts";
import { type OfferedTools, dynamicTools, hostNamespace, offeredToCodex } from "./offered-tools.ts";

/** All that we add to a thread: what it is told before the conversation, and the tools that it is shown. A project's own file comes on top. */
const promptBytes = 8 * 1024;

/** Bounds of the share for tools; more would crowd out codex's own. */
const toolBytes = { least: 1200, most: 6 * 1024 } as const;

/** The namespace that they stand in, with the names of those that are not shown. */
const frameBytes = 340;

/** What matters most is first in the list of what is offered. */
const order = [...offeredToCodex.keys()];

/** The tools of a new thread: those that there is no room for are left to the model's search. */
export function fitTools(tools: OfferedTools, instructions: string): OfferedTools {
  const left = promptBytes - Buffer.byteLength(instructions);
  let room = Math.min(toolBytes.most, Math.max(toolBytes.least, left)) - frameBytes;
  const shown = new Set<string>();
  const ranked = tools.specs.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  for (const spec of ranked.filter(({ deferred }) => !deferred)) {
    const size = Buffer.byteLength(JSON.stringify(responsesDefinition(spec), withoutBounds)) + 1;
    if (size > room) continue;
    room -= size;
    shown.add(spec.name);
  }
  return { ...tools, specs: tools.specs.map((spec) => ({ ...spec, deferred: !shown.has(spec.name) })) };
}

/** What a model that can search is shown of them, as codex hands it on. */
export function shownDefinitions(tools: OfferedTools): string {
  const [namespace] = dynamicTools(tools, { nested: true, findable: true }) as readonly Json[];
  const { description = "" } = isPlainObject(namespace) ? namespace : {};
  const shown = tools.specs.filter(({ deferred }) => !deferred).map(responsesDefinition);
  return JSON.stringify({ type: "namespace", name: hostNamespace, description, tools: shown }, withoutBounds);
}

const bounds = new Set(["default", "minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"]);

/** Codex hands a schema on without them. */
const withoutBounds = (key: string, value: unknown): unknown => (bounds.has(key) ? undefined : value);
