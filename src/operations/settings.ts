import { type Operation, operation, everybody, owner, people } from "./operation.ts";

/** How the program behaves from the next turn on. */
export const settings: readonly Operation[] = [
  operation("host.status", everybody, "read", "version, model, provider and runtime", { anywhere: true }),
  operation("chat.status", people, "read", "Show session, model, runtime and where they come from", {
    at: "chat",
    slash: { name: "status", chats: ["member"] },
  }),
  operation("chat.whoami", people, "read", "Say who you are here, and what you may do", {
    at: "chat",
    slash: { name: "whoami", chats: ["member", "guest"] },
  }),
  operation("runtime.readiness", owner, "read", "what the default is, and whether codex can be used", {
    cli: { usage: "codex-runtime status", json: true, isDefault: true },
    slash: {
      name: "codex-runtime",
      aliases: ["codex_runtime"],
      args: "[auto | codex_app_server | on | off | status]",
      words: ["auto", "codex_app_server", "on", "off", "status"],
      help: "Show or change the default runtime, and with it this session's",
      more: "On is codex app-server, off (auto) is Talaria's own loop. It holds from the next turn of this conversation; other open sessions keep theirs.",
      busy: "refused",
    },
  }),
  operation("runtime.setDefault", owner, "admin", "who runs the turns by default", {
    cli: [
      { usage: "codex-runtime on", help: "run turns on codex app-server by default", json: true },
      { usage: "codex-runtime off", help: "run turns on Talaria's own loop by default", json: true },
    ],
  }),
  operation(
    "codex.migrate",
    owner,
    "admin",
    "write your MCP servers and Talaria's tools to codex's config.toml, in a block of its own",
    {
      cli: {
        usage: "codex-runtime migrate",
        options: { "--dry-run": "only show what would be written", "--remove": "take the block out again" },
        json: "one JSON object",
      },
    },
  ),
  operation("codex.plugins", owner, "read", "codex's native plugins that are on"),
  operation("tools.list", people, "read", "List what a turn may do, or switch tools on and off", {
    anywhere: true,
    cli: {
      usage: "tools list",
      help: "all tools, by set; also what `tools` alone does",
      json: true,
      isDefault: true,
    },
    slash: {
      name: "tools",
      args: "[on | off] [name…]",
      words: ["on", "off"],
      more: "A name is that of a tool or of a whole set. It holds for all sessions, from their next turn on.",
    },
  }),
  operation("tools.switch", owner, "admin", "switch tools or whole sets of them", {
    cli: [
      { usage: "tools on <names...>", help: "switch on tools or whole sets of them", json: true },
      { usage: "tools off <names...>", help: "switch off tools or whole sets of them", json: true },
    ],
  }),
  operation("mcp.list", owner, "read", "List your MCP servers and their tools", {
    cli: [
      { usage: "mcp-servers list", help: "start them all, and say how they are", json: true },
      {
        usage: "mcp-servers show <server>",
        help: "one of them with its tools, and what changed",
        json: true,
      },
    ],
    slash: {
      name: "mcp",
      args: "[list | show SERVER | approve SERVER TOOL MARK | restart SERVER]",
      words: ["list", "show", "approve", "restart"],
      more: "Starts those that do not run yet. Approve lets a tool be used that has changed since it was first seen; show names the mark of the change.",
    },
  }),
  operation("mcp.approve", owner, "approve", "let a tool be used that has changed since it was first seen", {
    cli: { usage: "mcp-servers approve <server> <tool> <mark>", json: true },
  }),
  operation("mcp.restart", owner, "operate", "try to start it, and say how it is", {
    cli: { usage: "mcp-servers restart <server>", json: true },
  }),
  operation("skills.trust", owner, "approve", "let the skills of a project be used, as they are now", {
    cli: { usage: "skills trust [folder]", json: true },
  }),
  operation("skills.distrust", owner, "admin", "take that back", {
    cli: { usage: "skills untrust [folder]", json: true },
  }),
  operation("skills.pin", owner, "admin", "nobody but you changes or archives it", {
    cli: [
      { usage: "skills pin <name>", json: true },
      { usage: "skills unpin <name>", help: "the opposite", json: true },
    ],
  }),
  operation("skills.curate", owner, "admin", "archive what was learned and is not used", {
    cli: { usage: "skills curate", options: { "--dry-run": "only say what would happen" }, json: true },
  }),
  operation("skills.uncurate", owner, "admin", "bring back what the last run of the curator archived", {
    cli: { usage: "skills rollback", json: true },
  }),
  operation("keys.add", owner, "admin", "make a key for programs, and say it once", {
    local: true,
    cli: {
      usage: "keys add <name>",
      options: {
        "--scope <scope>": "read, operate, approve or admin; operate unless said; may be repeated",
        "--budget-tokens <n>": "tokens that its turns may use in a day",
        "--budget-usd <amount>": "USD that its turns may cost in a day",
      },
      json: "one JSON object",
    },
  }),
  operation("keys.list", owner, "admin", "the keys there are, and when they were last used", {
    cli: { usage: "keys list", json: true, isDefault: true },
  }),
  operation("keys.revoke", owner, "admin", "a key works no more, from now on", {
    cli: { usage: "keys revoke <key>", argument: "its id or name", json: true },
  }),
  operation("devices.add", owner, "admin", "let a browser in: an address that works once, for five minutes", {
    local: true,
    cli: {
      usage: "open",
      options: {
        "--name <name>": "what the browser is called in the list of devices",
        "--port <n>": "where talaria serve listens, if http.port does not say",
      },
      json: "one JSON object",
    },
  }),
  operation("devices.list", owner, "admin", "the browsers that were let in", {
    cli: { usage: "devices list", json: true, isDefault: true },
  }),
  operation("devices.revoke", owner, "admin", "a browser is let in no more, from now on", {
    cli: { usage: "devices revoke <id>", json: true },
  }),
  operation("config.path", owner, "read", "where the file is", {
    local: true,
    cli: { usage: "config path" },
  }),
  operation("config.get", owner, "read", "the value of a setting, like model.default", {
    local: true,
    cli: { usage: "config get <key>" },
  }),
  operation("config.set", owner, "admin", "change a setting", {
    local: true,
    cli: { usage: "config set <key> <value>" },
  }),
  operation("config.unset", owner, "admin", "remove a setting", {
    local: true,
    cli: { usage: "config unset <key>" },
  }),
  operation("profiles.list", owner, "read", "the profiles there are", {
    local: true,
    cli: { usage: "profile list" },
  }),
  operation("profiles.create", owner, "admin", "make a new one; use it with -p NAME", {
    local: true,
    cli: { usage: "profile create <name>" },
  }),
];
