/** What we know of one tool that codex gives a model. */
export type KnownTool = {
  /** What of ours shows that it was called. */
  readonly recorded: string;
  /** Who may say no before it does something. */
  readonly asks: string;
  readonly ends: "with the turn" | "may outlive the turn";
};

const readsOnly = "nobody: it changes nothing";
const withTheTurn = "with the turn";

/**
 * Every tool that codex may offer a model on a thread of ours, in any version and with any model. One that is not here
 * acts without anybody having thought about it. Tools of ours (`talaria.*`) have their own list, `offered-tools.ts`.
 */
export const knownTools: Readonly<Record<string, KnownTool>> = {
  exec_command: {
    recorded: "a call `exec_command`; one that the sandbox stopped at once is read from codex's own file",
    asks: "codex's sandbox and policy, then our approvals; the deny list before both",
    ends: "may outlive the turn",
  },
  write_stdin: {
    recorded: "output of the call whose terminal it is",
    asks: "for a terminal outside the sandbox codex, then our approvals; else the sandbox is the bound",
    ends: withTheTurn,
  },
  apply_patch: {
    recorded: "a call `apply_patch` with its diff",
    asks: "codex outside the folder, then our approvals",
    ends: withTheTurn,
  },
  view_image: { recorded: "a note", asks: readsOnly, ends: withTheTurn },
  web_search: {
    recorded: "a note with the query",
    asks: "nobody: the provider of the model runs it",
    ends: withTheTurn,
  },
  update_plan: { recorded: "the plan of the turn", asks: readsOnly, ends: withTheTurn },
  request_user_input: {
    recorded: "an inquiry",
    asks: "it is a question itself; refused outside plan mode",
    ends: withTheTurn,
  },
  request_user_input_async: {
    recorded: "a text of the turn, with the choices",
    asks: "it is a question itself, answered by the next message",
    ends: withTheTurn,
  },
  request_permissions: {
    recorded: "a question in the ledger, with what it asks for",
    asks: "it is a question itself, which our approvals answer; refused beside a conversation",
    ends: withTheTurn,
  },
  tool_search: { recorded: "nowhere: it lists tools", asks: readsOnly, ends: withTheTurn },
  list_mcp_resources: { recorded: "a call `mcp.codex.…`", asks: readsOnly, ends: withTheTurn },
  list_mcp_resource_templates: { recorded: "a call `mcp.codex.…`", asks: readsOnly, ends: withTheTurn },
  read_mcp_resource: { recorded: "a call `mcp.codex.…`", asks: readsOnly, ends: withTheTurn },
  "skills.list": { recorded: "nowhere: it lists skills", asks: readsOnly, ends: withTheTurn },
  "skills.read": { recorded: "nowhere: it reads a skill", asks: readsOnly, ends: withTheTurn },
  "skills.installations": { recorded: "nowhere: it lists skills", asks: readsOnly, ends: withTheTurn },
  wait_for_environment: {
    recorded: "nowhere: it waits until commands can be run",
    asks: readsOnly,
    ends: withTheTurn,
  },
  exec: {
    recorded: "whatever it calls is recorded as itself",
    asks: "what it calls asks as itself; the script has no files and no network",
    ends: "may outlive the turn",
  },
  wait: { recorded: "nowhere: it waits for a script of `exec`", asks: readsOnly, ends: withTheTurn },
  "clock.sleep": { recorded: "a note with the time", asks: readsOnly, ends: withTheTurn },
  "clock.curr_time": { recorded: "nowhere: it tells the time", asks: readsOnly, ends: withTheTurn },
};
