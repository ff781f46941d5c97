import type { AgentDeps } from "../../agent/index.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Redactor } from "../../lib/redact.ts";
import type { Store } from "../../store/store.ts";
import { liveOutput } from "../../tools/live-output.ts";
import type { Tool, ToolBox, ToolResult } from "../../tools/tool.ts";
import type { HostDelegation } from "./delegation.ts";
import { sessionTools } from "./session-tools.ts";
import type { HostShell } from "./shell.ts";
import { type ToolSwitches, allOn } from "./switches.ts";

export type HostToolBox = AgentDeps["toolBox"] & {
  /** All that there is, also what is switched off or cannot be used here. */
  tools(): Promise<readonly Tool[]>;
  readonly switches: ToolSwitches;
};

type MoreTools = () => Promise<readonly Tool[]>;

export type ToolBoxParts = {
  readonly store: Store;
  readonly shell: Pick<HostShell, "tools" | "guarded">;
  readonly redact: Redactor;
  readonly delegates?: Pick<HostDelegation, "tool" | "toolsOf">;
  readonly switches?: ToolSwitches;
  /** Those that may be others with every turn. */
  readonly changing?: MoreTools;
  /** Those that are the same for all turns, and made with the first one. */
  readonly further?: readonly MoreTools[];
};

/** The tools of a turn. Loaded with the first one: their schemas cost a tenth of a second that `--help` need not pay. */
export function hostToolBox(parts: ToolBoxParts): HostToolBox {
  const { redact, delegates, switches = allOn, changing = async () => [] } = parts;
  let loading: ReturnType<typeof load> | undefined;
  const loaded = (): ReturnType<typeof load> => (loading ??= load(parts));
  const tools = async (): Promise<readonly Tool[]> => [...(await loaded()).tools, ...(await changing())];
  const allow = (tool: Tool): boolean => !switches.isOff(tool);
  const box: AgentDeps["toolBox"] = async (context) => {
    const { toolBox } = await loaded();
    const all = await tools();
    const allowed = (await delegates?.toolsOf(context.session, all)) ?? all;
    return masking(toolBox(allowed, context, { allow, mask: redact }), redact, context.clock);
  };
  return Object.assign(box, { switches, tools });
}

/** Once for all turns: what a tool finds out about the machine is found out when it is made. */
async function load({ store, shell, delegates, further = [] }: ToolBoxParts) {
  const [registry, reading, writing, patching, finding] = await Promise.all([
    import("../../tools/registry.ts"),
    import("../../tools/read-file.ts"),
    import("../../tools/write-file.ts"),
    import("../../tools/patch.ts"),
    import("../../tools/search-files.ts"),
  ]);
  const { guarded } = shell;
  const [read, find] = [reading.readFileTool(guarded), finding.searchFilesTool(guarded)];
  const files = [read, writing.writeFileTool, patching.patchTool, find];
  const tasks = delegates === undefined ? [] : [await delegates.tool()];
  const more = await Promise.all(further.map((make) => make()));
  const tools = [
    ...files,
    ...(await shell.tools()),
    ...(await sessionTools(store)),
    ...tasks,
    ...more.flat(),
  ] as readonly Tool[];
  return { toolBox: registry.toolBox, tools };
}

/** Masked where it comes from, so that the model gets what the session keeps: a key in a file is not sent on. */
const masking = (box: ToolBox, redact: Redactor, clock: Clock): ToolBox => ({
  specs: box.specs,
  enabled: box.enabled,
  async call(name, args, signal, progress, head): Promise<ToolResult> {
    const live = progress && liveOutput(progress, redact, clock);
    const { output, diff, ...rest } = await box.call(name, args, signal, live?.add, head);
    live?.end();
    return { ...rest, output: redact(output), ...(diff === undefined ? {} : { diff: redact(diff) }) };
  },
});
