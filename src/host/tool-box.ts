import type { AgentDeps } from "../agent/index.ts";
import type { Clock } from "../lib/clock.ts";
import type { Redactor } from "../lib/redact.ts";
import type { Store } from "../store/store.ts";
import { liveOutput } from "../tools/live-output.ts";
import type { Tool, ToolBox, ToolResult } from "../tools/tool.ts";
import { sessionTools } from "./session-tools.ts";
import type { HostShell } from "./shell.ts";

export type HostToolBox = AgentDeps["toolBox"] & { tools(): Promise<readonly Tool[]> };

/** The tools of a turn. Loaded with the first one: their schemas cost a tenth of a second that `--help` need not pay. */
export function hostToolBox(store: Store, shell: Pick<HostShell, "tools">, redact: Redactor): HostToolBox {
  let loading: ReturnType<typeof load> | undefined;
  const loaded = (): ReturnType<typeof load> => (loading ??= load(store, shell));
  const box: AgentDeps["toolBox"] = async (context) => {
    const { toolBox, tools } = await loaded();
    return masking(toolBox(tools, context), redact, context.clock);
  };
  return Object.assign(box, { tools: async () => (await loaded()).tools });
}

/** Once for all turns: a tool's description for the model is worked out anew for each new tool object. */
async function load(store: Store, shell: Pick<HostShell, "tools">) {
  const [registry, reading, writing, patching, finding] = await Promise.all([
    import("../tools/registry.ts"),
    import("../tools/read-file.ts"),
    import("../tools/write-file.ts"),
    import("../tools/patch.ts"),
    import("../tools/search-files.ts"),
  ]);
  const { readFileTool } = reading;
  const files = [readFileTool, writing.writeFileTool, patching.patchTool, finding.searchFilesTool];
  const tools = [...files, ...(await shell.tools()), ...(await sessionTools(store))] as readonly Tool[];
  return { toolBox: registry.toolBox, tools };
}

/** Masked where it comes from, so that the model gets what the session keeps: a key in a file is not sent on. */
const masking = (box: ToolBox, redact: Redactor, clock: Clock): ToolBox => ({
  specs: box.specs,
  enabled: box.enabled,
  async call(name, args, signal, progress): Promise<ToolResult> {
    const live = progress && liveOutput(progress, redact, clock);
    const { output, diff, ...rest } = await box.call(name, args, signal, live?.add);
    live?.end();
    return { ...rest, output: redact(output), ...(diff === undefined ? {} : { diff: redact(diff) }) };
  },
});
