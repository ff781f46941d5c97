import type { AgentDeps } from "../agent/index.ts";
import type { Store } from "../store/store.ts";

/** The tools of a turn. Loaded with the first one: their schemas cost a tenth of a second that `--help` need not pay. */
export function hostToolBox(store: Store, home: string): AgentDeps["toolBox"] {
  return async (context) => {
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
    void home;
    return toolBox([readFileTool, search], context);
  };
}
