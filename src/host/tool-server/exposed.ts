/** Who may be offered a tool over MCP. A worker is given its task by somebody, and neither hands it on nor asks back. */
export type Audience = "everyone" | "people" | "workers";

/**
 * Every tool that another program may be offered. Not here, on purpose: what reads, writes, searches or runs on this
 * machine (`localTools`), what speaks in a chat (`send_file`), and the tools of other MCP servers.
 */
export const exposedOverMcp: ReadonlyMap<string, Audience> = new Map([
  ["session_search", "everyone"],
  ["todo", "everyone"],
  ["skills_list", "everyone"],
  ["skill_view", "everyone"],
  ["web_search", "everyone"],
  ["web_extract", "everyone"],
  ["browser_navigate", "everyone"],
  ["browser_click", "everyone"],
  ["browser_type", "everyone"],
  ["browser_press", "everyone"],
  ["browser_snapshot", "everyone"],
  ["browser_scroll", "everyone"],
  ["browser_back", "everyone"],
  ["browser_get_images", "everyone"],
  ["browser_console", "everyone"],
  ["browser_vision", "everyone"],
  ["vision_analyze", "everyone"],
  ["image_generate", "everyone"],
  ["text_to_speech", "everyone"],
  ["kanban_show", "everyone"],
  ["kanban_comment", "everyone"],
  ["kanban_create", "everyone"],
  ["kanban_list", "people"],
  ["kanban_link", "people"],
  ["kanban_unblock", "people"],
  ["kanban_complete", "workers"],
  ["kanban_block", "workers"],
  ["kanban_heartbeat", "workers"],
  ["delegate_task", "people"],
  ["clarify", "people"],
  ["memory", "people"],
  ["skill_manage", "people"],
  ["cronjob", "people"],
]);

/** Only where the person says so when they start the server: other agents have their own, in their own sandbox. */
export const localTools: ReadonlySet<string> = new Set([
  "terminal",
  "process",
  "read_file",
  "write_file",
  "patch",
  "search_files",
]);

/** Without somebody to answer they are of no use. */
const questionTools: ReadonlySet<string> = new Set(["clarify"]);

export type Exposure = { readonly local: boolean; readonly worker: boolean; readonly canAsk: boolean };

export function isExposed(
  name: string,
  { local, worker, canAsk }: Exposure,
  table: ReadonlyMap<string, Audience> = exposedOverMcp,
): boolean {
  if (localTools.has(name)) return local;
  const audience = table.get(name);
  if (audience === undefined || (questionTools.has(name) && !canAsk)) return false;
  return audience === "everyone" || (audience === "workers") === worker;
}
