import type { Store } from "../../store/store.ts";
import type { Tool } from "../../tools/tool.ts";

/** Tools that work on conversations: what was said earlier, what is to be done, and a question to the person. */
export async function sessionTools(store: Store): Promise<readonly Tool[]> {
  const [searching, listing, asking] = await Promise.all([
    import("../../tools/session-search.ts"),
    import("../../tools/todo.ts"),
    import("../../tools/clarify.ts"),
  ]);
  const search = searching.sessionSearchTool({
    search: (query) => store.search(query),
    recent: (limit) => store.sessions.list({ limit }),
    messages: (session, window) => store.sessions.messages(session, window),
  });
  return [search, listing.todoTool(store.todos), asking.clarifyTool] as readonly Tool[];
}
