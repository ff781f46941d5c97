import type { AuxiliaryTask } from "../core/auxiliary.ts";
import { gatewaySettings } from "./gateway/keys.ts";
import { httpSettings } from "./http/keys.ts";
import { learningSettings } from "./learning-keys.ts";
import { type DefaultsIn, type Section, type Setting, type WrittenMap, isSection, limit } from "./setting.ts";
import { toolSettings } from "./tool-keys.ts";
import { workSettings } from "./work/keys.ts";

/**
 * Every key of config.yaml, described once: what is accepted (`schema.ts`), what holds when nobody says otherwise, what
 * is warned about and suggested (`key-lookup.ts`) and the reference page come from here. Plain data, without zod: a home
 * that has no settings need not load it.
 */
export const settings = {
  model: {
    about:
      "Who answers, and who runs the turns. See [models](models.md) and [codex as runtime](codex-runtime.md).",
    keys: {
      provider: {
        type: "text",
        meaning: "Provider that answers: a built-in one or a name under `providers`.",
        default: "demo",
      },
      default: {
        type: "text",
        meaning: "Model to ask for.",
        confusedWith: ["model.name", "model.model", "model.id"],
      },
      openai_runtime: {
        type: "runtime",
        meaning: "Who runs the turns: `auto` is Talaria's own loop, `codex_app_server` is codex.",
        default: "auto",
        confusedWith: ["model.runtime", "model.api_mode"],
      },
      codex_bin: { type: "text", meaning: "Path of the codex program, when it is not on PATH." },
    },
  },
  providers: {
    about: "Addresses of models.",
    names: "providerName",
    keys: {
      api: {
        type: "address",
        meaning: "Base address of an OpenAI-compatible service, such as http://127.0.0.1:8080/v1.",
        confusedWith: ["base_url", "api_base", "url", "endpoint"],
      },
      protocol: {
        type: ["responses", "chat"],
        meaning: "What the address speaks: `responses` or `chat` (chat completions).",
        default: "chat",
        confusedWith: ["api_mode", "type", "wire_api"],
      },
      key_env: {
        type: "variableName",
        meaning: "Name of the variable, in the environment or .env, that holds the key.",
        confusedWith: ["api_key", "key", "token", "env_key", "api_key_env"],
      },
      headers: {
        type: "strings",
        meaning: "Extra request headers; ${NAME} takes a variable from the environment or .env.",
        default: {},
      },
      models: { type: "texts", meaning: "Models to offer for choosing.", default: [] },
      context_window: {
        type: "tokens",
        meaning:
          "Tokens that its models can read. With it a conversation on the loop is shortened in time, and the status line shows how full it is.",
        confusedWith: ["context_length"],
      },
      prices: {
        names: "text",
        keys: {
          input: {
            type: "usdPerMillion",
            required: true,
            meaning: "USD for a million tokens that this model reads; without prices a cost is unknown.",
            confusedWith: ["prompt"],
          },
          cached: {
            type: "usdPerMillion",
            meaning:
              "USD for a million tokens that it reads from the provider's cache; as `input` when unset.",
            confusedWith: ["cache", "cached_input"],
          },
          output: {
            type: "usdPerMillion",
            required: true,
            meaning: "USD for a million tokens that it writes.",
            confusedWith: ["completion"],
          },
        },
      },
    },
  },
  fallback_providers: {
    about: "A list. See [when a provider fails](models.md#when-a-provider-fails).",
    list: "a list of {provider, model}",
    keys: {
      provider: { type: "text", required: true, meaning: "Provider to turn to when the main one fails." },
      model: { type: "text", required: true, meaning: "Model to ask for there." },
    },
  },
  auxiliary: {
    about: "Who does the small tasks beside the turns.",
    keys: {
      title_generation: {
        keys: {
          ...smallTask("the titles of sessions").keys,
          enabled: { type: "yesOrNo", meaning: "Whether sessions get a title after their first exchange." },
        },
      },
      compression: smallTask("the summaries of long conversations"),
      vision: smallTask("describing pictures"),
      background_review: smallTask("learning from finished turns"),
      goal_judge: smallTask("judging whether a goal is reached"),
      approval: smallTask("what `approvals.mode: smart` asks"),
    } satisfies Readonly<Record<AuxiliaryTask, Section>>,
  },
  mcp_servers: {
    about: "Your MCP servers, for turns on either runtime. See [MCP servers](mcp-servers.md).",
    names: "text",
    // Keys that only other programs know are kept, so that the translation for codex can say what is lost.
    loose: true,
    keys: {
      command: { type: "text", meaning: "Program of an MCP server on this machine." },
      args: { type: "arguments", meaning: "Its arguments." },
      env: {
        type: "strings",
        meaning: "Its variables; ${NAME} takes one from the environment or .env.",
      },
      cwd: { type: "text", meaning: "Its working folder." },
      url: { type: "text", meaning: "Address of an MCP server reached over HTTP." },
      headers: {
        type: "strings",
        meaning: "Request headers for it; ${NAME} takes a variable from the environment or .env.",
      },
      transport: {
        type: "text",
        meaning: "`http` or `sse`, when the address does not tell; only `http` is spoken.",
        later: true,
      },
      enabled: { type: "yesOrNo", meaning: "Whether the server is used.", default: true },
      timeout: { type: "seconds", meaning: "Seconds that a call of it may take." },
      connect_timeout: { type: "seconds", meaning: "Seconds that its start may take." },
      tools: {
        keys: {
          include: {
            type: "texts",
            meaning: "Names of its tools to offer, `*` for any characters; all when unset.",
            confusedWith: ["mcp_servers.*.include", "mcp_servers.*.enabled_tools"],
          },
          exclude: {
            type: "texts",
            meaning: "Names of its tools to leave out; `include` wins.",
            confusedWith: ["mcp_servers.*.exclude", "mcp_servers.*.disabled_tools"],
          },
        },
      },
      trust: {
        type: ["full", "hints", "untrusted"],
        meaning:
          "`full`: its tools are not asked about. `hints` (default): those it calls read-only are not. `untrusted`: all are.",
      },
      elicitation: {
        type: "yesOrNo",
        meaning: "Whether the server may ask you questions.",
        default: true,
      },
    },
  },
  terminal: {
    about: "How commands are run. See [approvals](approvals.md).",
    keys: {
      security_mode: {
        type: ["auto", "approval-required", "unrestricted"],
        meaning: "How commands are confined: `auto`, `approval-required` or `unrestricted`.",
      },
      network: {
        type: "yesOrNo",
        meaning: "Whether commands in the sandbox may use the network.",
        default: false,
      },
      cwd: {
        type: "text",
        meaning:
          "Folder in which sessions of programs and of other people work, made when it is needed; ~/talaria when unset.",
      },
    },
  },
  codex: {
    about: "See [codex as runtime](codex-runtime.md), also for a codex of its own for a profile.",
    keys: {
      home: {
        type: "text",
        meaning:
          "CODEX_HOME for codex, a folder that is there; ~/.codex when unset. CODEX_HOME in the environment wins.",
      },
      env: {
        type: "variableNames",
        meaning: "Names of further variables for codex and for commands of turns that somebody attends.",
        default: [],
      },
    },
  },
  turn: {
    keys: {
      budget: {
        type: "seconds",
        meaning: "Seconds that a turn may work, not counting the wait for a person.",
      },
    },
  },
  budgets: {
    about: "What may be spent. See [costs](costs.md).",
    keys: { turn: limit("a turn"), session: limit("a session"), day: limit("a day (UTC)") },
  },
  compression: {
    about: "See [long conversations](long-conversations.md).",
    keys: {
      threshold: {
        type: "share",
        meaning:
          "How full the model's context may be before the conversation is shortened: 0.75 is three quarters.",
        default: 0.75,
      },
    },
  },
  ...toolSettings,
  approvals: {
    about: "What is asked before it is done. See [approvals](approvals.md).",
    keys: {
      mode: {
        type: ["manual", "smart", "off"],
        meaning:
          "`manual` asks where the policy says so; `smart` lets a small model allow what is of low risk; `off` does not ask.",
        default: "manual",
      },
      timeout_s: {
        type: "seconds",
        meaning: "Seconds that a question waits while nobody has its session before them; silence is a No.",
        default: 300,
        confusedWith: ["approvals.timeout"],
      },
      deny: { type: "texts", meaning: "Commands that are never run, whoever allows them.", default: [] },
    },
  },
  display: {
    about: "How the terminal behaves.",
    keys: {
      busy_input_mode: {
        type: ["queue", "steer", "interrupt"],
        meaning:
          "What Enter does while a turn runs: `queue` runs it afterwards, `steer` puts it into the turn, `interrupt` stops the turn for it.",
        default: "queue",
        confusedWith: ["display.busy_input", "display.busy"],
      },
      bell: {
        type: "yesOrNo",
        meaning: "Whether the terminal rings when a turn has ended or a question waits.",
        default: true,
      },
      reasoning: {
        type: ["fold", "show", "hide"],
        meaning:
          "How the model's thinking is shown at first: `fold` is one line of it, `show` all, `hide` none.",
        default: "fold",
        confusedWith: ["display.show_reasoning", "display.thinking"],
      },
    },
  },
  events: {
    about: "How long what happened can be read again. See [events](events.md).",
    keys: {
      keep_days: { type: "days", meaning: "Days for which events are kept.", default: 7 },
      keep_mb: {
        type: "megabytes",
        meaning: "Size, about, above which the oldest events go before that.",
        default: 256,
      },
    },
  },
  ...learningSettings,
  ...httpSettings,
  ...workSettings,
  kanban: {
    about: "[Cards](kanban.md) are set under `work.cards`.",
    type: "open",
    meaning: "Nothing is read from it.",
    later: true,
  },
  goals: {
    about: "See [goals](goals.md).",
    keys: {
      max_turns: {
        type: "count",
        meaning: "Turns after which a goal is paused.",
        default: 20,
      },
      max_usd: {
        type: "usd",
        meaning: "USD that a goal may cost, as far as prices are known.",
        default: 5,
      },
      max_tokens: { type: "tokens", meaning: "Tokens that a goal may use.", default: 5_000_000 },
    },
  },
  ...gatewaySettings,
  database: {
    about: "Where sessions are kept. See [the database](../operations/database.md).",
    keys: {
      url: {
        type: "databaseUrl",
        meaning:
          "Address of a PostgreSQL database, such as postgres://talaria@db.example/talaria, that several machines share. Without it, a file in the home. With a password, use `database.url_env`.",
        confusedWith: ["database.host", "database.dsn", "database.path"],
      },
      url_env: {
        type: "variableName",
        meaning:
          "Name of the variable, in the environment or .env, that holds that address with its password.",
        confusedWith: ["database.key_env", "database.password"],
      },
    },
  },
} as const satisfies Readonly<Record<string, Section | (Setting & Pick<Section, "about">)>>;

/** What config.yaml may say, after keys without a value were left out. */
export type FileSettings = WrittenMap<typeof settings>;

/** What holds when nobody says otherwise. */
export const defaults = Object.fromEntries(
  Object.entries(settings).map(([name, section]) => [name, defaultsIn(section)]),
) as { readonly [Name in keyof typeof settings]: DefaultsIn<(typeof settings)[Name]> };

function defaultsIn(section: Section | Setting): unknown {
  if (!isSection(section)) return undefined;
  if (section.list !== undefined) return [];
  const keys = section.names === undefined ? Object.entries(section.keys) : [];
  return Object.fromEntries(
    keys.flatMap(([name, key]) => (isSection(key) || key.default === undefined ? [] : [[name, key.default]])),
  );
}

function smallTask(means: string) {
  return {
    keys: {
      provider: { type: "text", meaning: `Provider for ${means}; \`auto\` is the main one.` },
      model: { type: "text", meaning: `Model for ${means}.` },
    },
  } as const;
}
