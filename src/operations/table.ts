import { conversations } from "./conversations.ts";
import { gateway } from "./gateway.ts";
import { goals } from "./goals.ts";
import { kanban } from "./kanban.ts";
import { maintenance } from "./maintenance.ts";
import type { Group, Operation } from "./operation.ts";
import { records } from "./records.ts";
import { settings } from "./settings.ts";
import { work } from "./work.ts";

export const operationsOf: Readonly<Record<Group, readonly Operation[]>> = {
  conversations: [...conversations, ...goals],
  records,
  work: [...work, ...kanban],
  settings: [...settings, ...gateway],
  maintenance,
};

/** Everything that can be asked of Talaria. */
export const operations: readonly Operation[] = Object.values(operationsOf).flat();

export const operationNamed = new Map(operations.map((operation) => [operation.name, operation]));

/** The first words of the command line in the order of its help; what has commands below it says what they are about. */
export const cliWords: Readonly<Record<string, string>> = {
  run: "",
  sessions: "list, read, search, export and delete sessions",
  goal: "what a session is to reach, turn after turn",
  approvals: "what was asked and decided, and what is allowed beforehand",
  kanban: "boards and cards: what is to be done, what it waits for, and who did it",
  tools: "what a turn may do, and switching it on and off",
  learned: "what was learned, what waits for you, and taking it back",
  skills: "skills: list, read, trust, pin and put away",
  cron: "schedules: what is done later, or again and again, and what became of it",
  work: "all that nobody typed: pause, resume, and what is left of its budgets",
  batch: "",
  why: "",
  gateway: "chat apps: how their bots are, and who is let in",
  keys: "keys for programs that use the API",
  open: "",
  devices: "browsers that were let in",
  config: "read and change config.yaml; comments survive",
  profile: "separate homes, each with its own settings and sessions",
  replay: "",
  codex: "",
  "codex-runtime": "who runs the turns by default, and codex's own settings",
  events: "",
  usage: "",
  context: "",
  serve: "",
  service: "`talaria serve` as a service of your own: install, look at it, remove it",
  acp: "",
  mcp: "",
  "mcp-servers": "your MCP servers, as turns on the loop use them",
  setup: "",
  doctor: "",
  selftest: "",
  completion: "",
};

/** Slash commands in the order of their help. */
export const slashGroups: Readonly<Record<string, readonly string[]>> = {
  Session: ["new", "sessions", "resume", "title", "history", "fork", "compress", "context"],
  Turn: ["retry", "undo", "stop", "queue", "steer", "agents", "ps", "goal", "resend"],
  Work: ["cron", "work", "why", "kanban"],
  "Model and runtime": ["model", "reasoning", "runtime", "codex-runtime"],
  Safety: ["approve", "deny", "approvals", "yolo"],
  Learning: ["learned", "memory", "skills", "refine"],
  "Tools and records": ["tools", "diff", "usage", "mcp", "record", "replay"],
  About: ["status", "whoami", "doctor", "quit", "help"],
};
