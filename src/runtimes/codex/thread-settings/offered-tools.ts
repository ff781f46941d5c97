import type { Json } from "../../../core/json.ts";
import { codexDynamicDefinition } from "../../../tools/definitions.ts";
import type { ToolBox, ToolSpec } from "../../../tools/tool.ts";

/** Our tools stand in a namespace of their own, so that they cannot be mistaken for codex's. */
export const hostNamespace = "talaria";

/** `shown`: in every request. `deferred`: the model finds it by codex's own search. */
export type Offer = ReadonlyMap<string, "shown" | "deferred">;

/**
 * Every host tool that a codex thread may be offered. Not here, on purpose: whatever reads, writes, searches or runs on
 * this machine. Codex has its own for that, inside its sandbox. What matters most is first: where there is no room for
 * all, the rest is found by a search too.
 */
export const offeredToCodex: Offer = new Map([
  ["kanban_complete", "shown"],
  ["kanban_block", "shown"],
  ["kanban_show", "shown"],
  ["kanban_comment", "shown"],
  ["kanban_heartbeat", "shown"],
  ["kanban_create", "shown"],
  ["kanban_list", "shown"],
  ["kanban_link", "shown"],
  ["kanban_unblock", "shown"],
  ["skill_view", "shown"],
  ["skills_list", "shown"],
  ["memory", "shown"],
  ["skill_manage", "deferred"],
  ["session_search", "shown"],
  ["todo", "shown"],
  ["clarify", "shown"],
  ["send_file", "shown"],
  ["delegate_task", "shown"],
  ["cronjob", "deferred"],
  ["web_search", "shown"],
  ["web_extract", "shown"],
  ["browser_navigate", "deferred"],
  ["browser_click", "deferred"],
  ["browser_type", "deferred"],
  ["browser_press", "deferred"],
  ["browser_snapshot", "deferred"],
  ["browser_scroll", "deferred"],
  ["browser_back", "deferred"],
  ["browser_get_images", "deferred"],
  ["browser_console", "deferred"],
  ["browser_vision", "deferred"],
  ["vision_analyze", "deferred"],
  ["image_generate", "deferred"],
  ["text_to_speech", "deferred"],
]);

/**
 * What a turn has for codex, by name. `names`: all that is switched on, so that a thread stays the same while a backend
 * comes and goes. `specs`: those of them that can be used now; a new thread is told of these.
 */
export type OfferedTools = { readonly names: readonly string[]; readonly specs: readonly ToolSpec[] };

export const offered = (box: Pick<ToolBox, "specs" | "enabled">, offer: Offer): OfferedTools => ({
  names: box.enabled.filter((name) => offer.has(name)).toSorted(),
  specs: box.specs
    .filter(({ name }) => offer.has(name))
    .map((spec) => ({ ...spec, deferred: offer.get(spec.name) === "deferred" }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
});

/** Names the catalogue: a thread whose catalogue is another one is started anew. */
export const catalogue = ({ names }: OfferedTools): string => names.join(",");

/** What a codex or its model can do with tools. */
export type ToolAbilities = {
  /** It knows namespaces with tools in them. */
  readonly nested: boolean;
  /** Its model can search for deferred tools. One that cannot is shown them all. */
  readonly findable: boolean;
};

/** For `thread/start`. */
export function dynamicTools({ specs }: OfferedTools, { nested, findable }: ToolAbilities): Json {
  if (specs.length === 0) return [];
  const isLater = (spec: ToolSpec): boolean => findable && spec.deferred;
  if (!nested) return specs.map((spec) => ({ ...flatDefinition(spec), ...deferral(isLater(spec)) }));
  return [
    {
      type: "namespace",
      name: hostNamespace,
      description: about(specs.filter(isLater)),
      tools: specs.map((spec) => codexDynamicDefinition(spec, deferral(isLater(spec)))),
    },
  ];
}

const deferral = (isLater: boolean): { readonly deferLoading?: true } =>
  isLater ? { deferLoading: true } : {};

const flatDefinition = ({ name, description, parameters }: ToolSpec) => ({
  namespace: hostNamespace,
  name,
  description,
  inputSchema: parameters,
});

/** Codex's own search does not say what there is to be found. */
function about(later: readonly ToolSpec[]): string {
  const ours = "What Talaria remembers and can do for this person beyond this thread.";
  if (later.length === 0) return ours;
  const families = Map.groupBy(later, ({ name }) => name.split("_", 1)[0] ?? name);
  const names = [...families].map(([family, some]) => (some.length > 1 ? `${family}_*` : some[0]?.name));
  return `${ours} Not listed, but found by a tool search: ${names.join(", ")}.`;
}
