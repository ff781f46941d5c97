import type { Config } from "../../config/settings.ts";
import { Refusal } from "../../core/host.ts";
import { closest } from "../../core/suggestion.ts";
import type { ToolSwitch, ListedTool } from "../../core/tooling.ts";
import type { Tool } from "../../tools/tool.ts";

type Named = Pick<Tool, "name" | "toolset">;

/** Which tools the person has switched off. It can change while the settings, as they were read, cannot. */
export type ToolSwitches = {
  isOff(tool: Named): boolean;
  /** Names of tools and toolsets, as they are written down. */
  off(): readonly string[];
  /** Of all that there is; names are those of tools or toolsets. Rejects with a Refusal or a FaultError. */
  set(tools: readonly Named[], names: readonly string[], on: boolean): Promise<ToolSwitch>;
};

type Settings = Pick<Config, "tools" | "paths" | "sections">;

export function toolSwitches({ tools: { disabled }, paths, sections }: Settings): ToolSwitches {
  let current: readonly string[] = disabled;
  /** What a server has is not known before it was started. */
  const servers = Object.keys(sections["mcp_servers"] ?? {}).map((name) => `mcp-${name}`);
  return {
    isOff: (tool) => isIn(current, tool),
    off: () => current,
    async set(tools, names, on) {
      const sets = [...current, ...servers];
      const unknown = names.find((name) => !sets.includes(name) && !tools.some(isCalled(name)));
      if (names.length === 0 || unknown !== undefined) throw noSuchTool(unknown, tools);
      const before = current;
      const { changeDisabledTools } = await import("../../config/edit.ts");
      current = await changeDisabledTools(paths.config, (listed) =>
        names.reduce((list, name) => (on ? without(list, name, tools) : withName(list, name, tools)), listed),
      );
      const isChanged = (tool: Named): boolean => isIn(before, tool) !== isIn(current, tool);
      const changed = tools
        .filter(isChanged)
        .map(({ name }) => name)
        .toSorted();
      const { gaps } = await import("../codex/switches.ts");
      const onCodex = gaps(current);
      return { changed, file: paths.config, ignoredByCodex: changed.flatMap((name) => onCodex[name] ?? []) };
    },
  };
}

/** Nothing is switched off, and nothing can be. */
export const allOn: ToolSwitches = {
  isOff: () => false,
  off: () => [],
  set: () => Promise.reject(new Refusal("config", "There are no settings here.", "Open a home first.")),
};

const isIn = (list: readonly string[], { name, toolset }: Named): boolean =>
  list.includes(name) || list.includes(toolset);

const isCalled =
  (wanted: string) =>
  ({ name, toolset }: Named): boolean =>
    name === wanted || toolset === wanted;

/** A set stands for all its tools, so they need not be named beside it. */
function withName(list: readonly string[], name: string, tools: readonly Named[]): readonly string[] {
  const inIt = tools.filter(({ toolset }) => toolset === name).map((tool) => tool.name);
  const isCovered = list.includes(name) || tools.some((tool) => tool.name === name && isIn(list, tool));
  if (isCovered && inIt.length === 0) return list;
  return [...list.filter((other) => other !== name && !inIt.includes(other)), name];
}

/** One tool of a set that is off: the others stay off, each by its own name. */
function without(list: readonly string[], name: string, tools: readonly Named[]): readonly string[] {
  const inIt = tools.filter(({ toolset }) => toolset === name).map((tool) => tool.name);
  const rest = list.filter((other) => other !== name && !inIt.includes(other));
  const set = inIt.length > 0 ? undefined : tools.find((tool) => tool.name === name)?.toolset;
  if (set === undefined || !rest.includes(set)) return rest;
  const others = tools.filter((tool) => tool.toolset === set && tool.name !== name);
  if (others.some((tool) => tool.name === set)) throw notAlone(name, set);
  return [...rest.filter((other) => other !== set), ...others.map((tool) => tool.name).toSorted()];
}

/** The name of the set would mean the tool that is called like it, and the other way round. */
const notAlone = (name: string, set: string): Refusal =>
  new Refusal(
    "usage",
    `${name} cannot be on while ${set} is off. Nothing was changed.`,
    `Switch on ${set}, which is both.`,
  );

function noSuchTool(name: string | undefined, tools: readonly Named[]): Refusal {
  if (name === undefined)
    return new Refusal("usage", "Name a tool or a set of tools.", "`talaria tools` lists them.");
  const near = closest(name, new Set(tools.flatMap((tool) => [tool.name, tool.toolset])));
  const hint = near === undefined ? "" : `Did you mean ${near}? `;
  return new Refusal(
    "usage",
    `There is no tool or set of tools called "${name}". Nothing was changed.`,
    `${hint}\`talaria tools\` and /tools list them.`,
  );
}

/** The tools as people see them in a list, by name. */
export async function toolList(
  tools: readonly Tool[],
  { isOff, off }: Pick<ToolSwitches, "isOff" | "off">,
): Promise<readonly ListedTool[]> {
  const [{ whyUnavailable }, { offeredToCodex }, { gaps }] = await Promise.all([
    import("../../tools/registry.ts"),
    import("../../runtimes/codex/thread-settings/offered-tools.ts"),
    import("../codex/switches.ts"),
  ]);
  const onCodex = gaps(off());
  return tools
    .map((tool): ListedTool => {
      const { name, toolset, description, effect, deferred = false } = tool;
      const unavailable = whyUnavailable(tool);
      return {
        name,
        toolset,
        deferred,
        off: isOff(tool),
        about: firstSentence(description),
        effect,
        runtimes: offeredToCodex.has(name) ? ["loop", "codex"] : ["loop"],
        ...(unavailable === undefined ? {} : { unavailable }),
        ...(onCodex[name] === undefined ? {} : { codexGap: onCodex[name] }),
      };
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** A dot inside of a word, as in `AGENTS.md`, ends no sentence. */
const firstSentence = (text: string): string =>
  /^[\s\S]*?[.!?](?=\s|$)/.exec(text.trim())?.[0].replaceAll(/\s+/g, " ") ??
  text.trim().replaceAll(/\s+/g, " ");
