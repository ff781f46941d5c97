import type { ListedTool } from "../../core/tooling.ts";
import type { Tool } from "../../tools/tool.ts";
import type { ToolSwitches } from "./switches.ts";

/** The tools as people see them in a list, by name. */
export async function toolList(
  tools: readonly Tool[],
  { isOff, off }: Pick<ToolSwitches, "isOff" | "off">,
): Promise<readonly ListedTool[]> {
  const [{ whyUnavailable }, { offeredToCodex }, { gaps }] = await Promise.all([
    import("../../tools/registry.ts"),
    import("../../runtimes/codex/thread/offered-tools.ts"),
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
