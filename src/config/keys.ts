import type { AuxiliaryTask } from "../core/auxiliary.ts";
import type { Json } from "../core/json.ts";
import { learningDefaults, learningKeys } from "./learning-keys.ts";

/** What holds when nobody says otherwise, under the names of config.yaml. */
export const defaults = {
  model: { provider: "demo", openai_runtime: "auto" },
  terminal: { network: false },
  codex: { env: [] },
  approvals: { mode: "manual", timeout_s: 300, deny: [] },
  compression: { threshold: 0.75 },
  tools: { disabled: [] },
  web: { ask_unknown: true, allow_private: [] },
  tts: { provider: "espeak" },
  delegation: { max_concurrent: 3, max_seconds: 600 },
  ...learningDefaults,
} as const;

export type KnownKey = {
  /** `*` stands for a name that the person chooses, or for a place in a list. */
  readonly key: string;
  readonly meaning: string;
  readonly default?: Json;
  /** `later`: accepted and checked, but setting it only gives a warning. */
  readonly effect: "now" | "later";
  /** Names that people try instead; only for suggestions. */
  readonly confusedWith?: readonly string[];
};

/** What the small tasks are, and whether this version has them. */
const auxiliaryTasks = {
  title_generation: { means: "the titles of sessions", effect: "now" },
  compression: { means: "the summaries of long conversations", effect: "now" },
  vision: { means: "describing pictures", effect: "now" },
  background_review: { means: "learning from finished turns", effect: "now" },
  goal_judge: { means: "judging whether a goal is reached", effect: "later" },
  approval: { means: "what `approvals.mode: smart` asks", effect: "now" },
} as const satisfies Readonly<Record<AuxiliaryTask, { means: string; effect: KnownKey["effect"] }>>;

/** Every key of config.yaml: the source for warnings, suggestions and the reference page. */
export const knownKeys: readonly KnownKey[] = [
  {
    key: "model.provider",
    meaning: "Provider that answers: a built-in one or a name under `providers`.",
    default: defaults.model.provider,
    effect: "now",
  },
  {
    key: "model.default",
    meaning: "Model to ask for.",
    effect: "now",
    confusedWith: ["model.name", "model.model", "model.id"],
  },
  {
    key: "model.openai_runtime",
    meaning: "Who runs the turns: `auto` is Talaria's own loop, `codex_app_server` is codex.",
    default: defaults.model.openai_runtime,
    effect: "now",
    confusedWith: ["model.runtime", "model.api_mode"],
  },
  { key: "model.codex_bin", meaning: "Path of the codex program, when it is not on PATH.", effect: "now" },
  {
    key: "providers.*.api",
    meaning: "Base address of an OpenAI-compatible service, such as http://127.0.0.1:8080/v1.",
    effect: "now",
    confusedWith: ["base_url", "api_base", "url", "endpoint"],
  },
  {
    key: "providers.*.protocol",
    meaning: "What the address speaks: `responses` or `chat` (chat completions).",
    default: "chat",
    effect: "now",
    confusedWith: ["api_mode", "type", "wire_api"],
  },
  {
    key: "providers.*.key_env",
    meaning: "Name of the variable, in the environment or .env, that holds the key.",
    effect: "now",
    confusedWith: ["api_key", "key", "token", "env_key", "api_key_env"],
  },
  {
    key: "providers.*.headers",
    meaning: "Extra request headers; ${NAME} takes a variable from the environment or .env.",
    default: {},
    effect: "now",
  },
  { key: "providers.*.models", meaning: "Models to offer for choosing.", default: [], effect: "now" },
  {
    key: "providers.*.context_window",
    meaning:
      "Tokens that its models can read. With it a conversation on the loop is shortened in time, and the status line shows how full it is.",
    effect: "now",
    confusedWith: ["context_length"],
  },
  {
    key: "providers.*.prices.*.input",
    meaning: "USD for a million tokens that this model reads; without prices a cost is unknown.",
    effect: "now",
    confusedWith: ["prompt"],
  },
  {
    key: "providers.*.prices.*.cached",
    meaning: "USD for a million tokens that it reads from the provider's cache; as `input` when unset.",
    effect: "now",
    confusedWith: ["cache", "cached_input"],
  },
  {
    key: "providers.*.prices.*.output",
    meaning: "USD for a million tokens that it writes.",
    effect: "now",
    confusedWith: ["completion"],
  },
  {
    key: "fallback_providers.*.provider",
    meaning: "Provider to turn to when the main one fails.",
    effect: "now",
  },
  { key: "fallback_providers.*.model", meaning: "Model to ask for there.", effect: "now" },
  ...auxiliaryKeys(),
  { key: "mcp_servers.*.command", meaning: "Program of an MCP server on this machine.", effect: "now" },
  { key: "mcp_servers.*.args", meaning: "Its arguments.", effect: "now" },
  {
    key: "mcp_servers.*.env",
    meaning: "Its variables; ${NAME} takes one from the environment or .env.",
    effect: "now",
  },
  { key: "mcp_servers.*.cwd", meaning: "Its working folder.", effect: "now" },
  { key: "mcp_servers.*.url", meaning: "Address of an MCP server reached over HTTP.", effect: "now" },
  {
    key: "mcp_servers.*.headers",
    meaning: "Request headers for it; ${NAME} takes a variable from the environment or .env.",
    effect: "now",
  },
  {
    key: "mcp_servers.*.transport",
    meaning: "`http` or `sse`, when the address does not tell; only `http` is spoken.",
    effect: "later",
  },
  { key: "mcp_servers.*.enabled", meaning: "Whether the server is used.", default: true, effect: "now" },
  { key: "mcp_servers.*.timeout", meaning: "Seconds that a call of it may take.", effect: "now" },
  { key: "mcp_servers.*.connect_timeout", meaning: "Seconds that its start may take.", effect: "now" },
  {
    key: "mcp_servers.*.tools.include",
    meaning: "Names of its tools to offer, `*` for any characters; all when unset.",
    effect: "now",
    confusedWith: ["mcp_servers.*.include", "mcp_servers.*.enabled_tools"],
  },
  {
    key: "mcp_servers.*.tools.exclude",
    meaning: "Names of its tools to leave out; `include` wins.",
    effect: "now",
    confusedWith: ["mcp_servers.*.exclude", "mcp_servers.*.disabled_tools"],
  },
  {
    key: "mcp_servers.*.trust",
    meaning:
      "`full`: its tools are not asked about. `hints` (default): those it calls read-only are not. `untrusted`: all are.",
    effect: "now",
  },
  {
    key: "mcp_servers.*.elicitation",
    meaning: "Whether the server may ask you questions.",
    default: true,
    effect: "now",
  },
  {
    key: "terminal.security_mode",
    meaning: "How commands are fenced: `auto`, `approval-required` or `unrestricted`.",
    effect: "now",
  },
  {
    key: "terminal.network",
    meaning: "Whether fenced commands may use the network.",
    default: defaults.terminal.network,
    effect: "now",
  },
  {
    key: "codex.home",
    meaning:
      "CODEX_HOME for codex, a folder that is there; ~/.codex when unset. CODEX_HOME in the environment wins.",
    effect: "now",
  },
  {
    key: "codex.env",
    meaning: "Names of further variables for codex and for commands of turns that somebody attends.",
    default: defaults.codex.env,
    effect: "now",
  },
  {
    key: "turn.budget",
    meaning: "Seconds that a turn may work, not counting the wait for a person.",
    effect: "now",
  },
  { key: "budgets.turn.tokens", meaning: "Tokens that a turn may use.", effect: "now" },
  { key: "budgets.turn.usd", meaning: "USD that a turn may cost.", effect: "now" },
  { key: "budgets.session.tokens", meaning: "Tokens that a session may use.", effect: "now" },
  { key: "budgets.session.usd", meaning: "USD that a session may cost.", effect: "now" },
  { key: "budgets.day.tokens", meaning: "Tokens that a day (UTC) may use.", effect: "now" },
  { key: "budgets.day.usd", meaning: "USD that a day (UTC) may cost.", effect: "now" },
  {
    key: "compression.threshold",
    meaning:
      "How full the model's context may be before the conversation is shortened: 0.75 is three quarters.",
    default: defaults.compression.threshold,
    effect: "now",
  },
  {
    key: "tools.disabled",
    meaning: "Tools and sets of tools that are switched off, such as [browser, text_to_speech].",
    default: defaults.tools.disabled,
    effect: "now",
    confusedWith: ["tools.disabled_toolsets", "disabled_toolsets", "tools.exclude"],
  },
  {
    key: "web.search.backend",
    meaning: "Who searches the web: `searxng`, `brave` or `firecrawl`.",
    effect: "now",
    confusedWith: ["web.backend", "web.search_backend"],
  },
  {
    key: "web.search.url",
    meaning: "Its address, when it is your own. The keys are BRAVE_API_KEY and FIRECRAWL_API_KEY.",
    effect: "now",
    confusedWith: ["web.searxng_url", "web.url"],
  },
  {
    key: "web.ask_unknown",
    meaning:
      "Whether to ask before a page is fetched whose address came neither from you nor from a search or a page read before.",
    default: defaults.web.ask_unknown,
    effect: "now",
  },
  {
    key: "web.allow_private",
    meaning:
      "Addresses on this machine or network that web tools may reach, as host:port; all others are refused.",
    default: defaults.web.allow_private,
    effect: "now",
  },
  { key: "browser.executable", meaning: "Path of Chromium, when it is not on PATH.", effect: "now" },
  { key: "image_gen.provider", meaning: "Provider that draws pictures.", effect: "now" },
  { key: "image_gen.model", meaning: "Model to ask for there.", effect: "now" },
  {
    key: "tts.provider",
    meaning: "Who speaks: `espeak` (espeak-ng on this machine) or a provider.",
    default: defaults.tts.provider,
    effect: "now",
  },
  { key: "tts.model", meaning: "Model to ask for, when a provider speaks.", effect: "now" },
  { key: "tts.voice", meaning: "Voice to speak with.", effect: "now" },
  {
    key: "delegation.runtime",
    meaning: "Who runs delegated tasks: `loop` or `codex`; that of the session when unset.",
    effect: "now",
  },
  {
    key: "delegation.model",
    meaning: "Model of delegated tasks; that of the session when unset.",
    effect: "now",
  },
  {
    key: "delegation.max_concurrent",
    meaning: "Delegated tasks that run at the same time.",
    default: defaults.delegation.max_concurrent,
    effect: "now",
  },
  {
    key: "delegation.max_seconds",
    meaning: "Seconds that a delegated task may work, not counting the wait for a person.",
    default: defaults.delegation.max_seconds,
    effect: "now",
  },
  { key: "delegation.budget.tokens", meaning: "Tokens that a delegated task may use.", effect: "now" },
  { key: "delegation.budget.usd", meaning: "USD that a delegated task may cost.", effect: "now" },
  {
    key: "approvals.mode",
    meaning:
      "`manual` asks where the policy says so; `smart` lets a small model allow what is of low risk; `off` does not ask.",
    default: defaults.approvals.mode,
    effect: "now",
  },
  {
    key: "approvals.timeout_s",
    meaning: "Seconds that a question waits while nobody has its session before them; silence is a No.",
    default: defaults.approvals.timeout_s,
    effect: "now",
    confusedWith: ["approvals.timeout"],
  },
  {
    key: "approvals.deny",
    meaning: "Commands that are never run, whoever allows them.",
    default: defaults.approvals.deny,
    effect: "now",
  },
  {
    key: "display.busy_input_mode",
    meaning:
      "What Enter does while a turn runs: `queue` runs it afterwards, `steer` puts it into the turn, `interrupt` stops the turn for it.",
    default: defaults.display.busy_input_mode,
    effect: "now",
    confusedWith: ["display.busy_input", "display.busy"],
  },
  {
    key: "display.bell",
    meaning: "Whether the terminal rings when a turn has ended or a question waits.",
    default: defaults.display.bell,
    effect: "now",
  },
  {
    key: "display.reasoning",
    meaning: "How the model's thinking is shown at first: `fold` is one line of it, `show` all, `hide` none.",
    default: defaults.display.reasoning,
    effect: "now",
    confusedWith: ["display.show_reasoning", "display.thinking"],
  },
  ...learningKeys,
  { key: "cron", meaning: "Scheduled turns.", effect: "later" },
  { key: "kanban", meaning: "Cards that are worked on by themselves.", effect: "later" },
  { key: "goals", meaning: "Goals that are pursued over many turns.", effect: "later" },
  { key: "gateway", meaning: "Chat apps through which Talaria is reached.", effect: "later" },
  { key: "database.url", meaning: "Address of a PostgreSQL server to share state.", effect: "later" },
];

function auxiliaryKeys(): readonly KnownKey[] {
  const routes = Object.entries(auxiliaryTasks).flatMap(([task, { means, effect }]) => [
    {
      key: `auxiliary.${task}.provider`,
      meaning: `Provider for ${means}; \`auto\` is the main one.`,
      effect,
    },
    { key: `auxiliary.${task}.model`, meaning: `Model for ${means}.`, effect },
  ]);
  const switches: readonly KnownKey[] = [
    {
      key: "auxiliary.title_generation.enabled",
      meaning: "Whether sessions get a title after their first exchange.",
      effect: "now",
    },
  ];
  return [...routes, ...switches];
}
