import type { AgentDeps } from "../agent/index.ts";
import type { Store } from "../store/store.ts";
import type { ToolBox, ToolResult } from "../tools/tool.ts";

/** The tools of a turn. Loaded with the first one: their schemas cost a tenth of a second that `--help` need not pay. */
export function hostToolBox(store: Store, redact: (text: string) => string): AgentDeps["toolBox"] {
  let loading: ReturnType<typeof load> | undefined;
  return async (context) => {
    const { toolBox, tools } = await (loading ??= load(store));
    return masking(toolBox(tools, context), redact);
  };
}

/** Once for all turns: a tool's description for the model is worked out anew for each new tool object. */
async function load(store: Store) {
  const [{ toolBox }, { readFileTool }, { sessionSearchTool }] = await Promise.all([
    import("../tools/registry.ts"),
    import("../tools/read-file.ts"),
    import("../tools/session-search.ts"),
  ]);
  const search = sessionSearchTool({
    search: (query) => store.search(query),
    recent: (limit) => store.sessions.list({ limit }),
    messages: (session, window) => store.sessions.messages(session, window),
  });
  return { toolBox, tools: [readFileTool, search] };
}

/** Masked where it comes from, so that the model gets what the session keeps: a key in a file is not sent on. */
const masking = (box: ToolBox, redact: (text: string) => string): ToolBox => ({
  specs: box.specs,
  async call(name, args, signal): Promise<ToolResult> {
    const { ok, output, diff } = await box.call(name, args, signal);
    return { ok, output: redact(output), ...(diff === undefined ? {} : { diff: redact(diff) }) };
  },
});
