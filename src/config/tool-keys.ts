import { type Section, limit } from "./setting.ts";

/** The sections of config.yaml about single tools. */
export const toolSettings = {
  tools: {
    about: "See [tools](tools.md#switching-tools-on-and-off).",
    keys: {
      disabled: {
        type: "texts",
        meaning: "Tools and sets of tools that are switched off, such as [browser, text_to_speech].",
        default: [],
        confusedWith: ["tools.disabled_toolsets", "disabled_toolsets", "tools.exclude"],
      },
    },
  },
  web: {
    keys: {
      search: {
        keys: {
          backend: {
            type: ["searxng", "brave", "firecrawl"],
            meaning: "Who searches the web: `searxng`, `brave` or `firecrawl`.",
            confusedWith: ["web.backend", "web.search_backend"],
          },
          url: {
            type: "address",
            meaning: "Its address, when it is your own. The keys are BRAVE_API_KEY and FIRECRAWL_API_KEY.",
            confusedWith: ["web.searxng_url", "web.url"],
          },
        },
      },
      ask_unknown: {
        type: "yesOrNo",
        meaning:
          "Whether to ask before a page is fetched whose address came neither from you nor from a search or a page read before.",
        default: true,
      },
      allow_private: {
        type: "hostsAndPorts",
        meaning:
          "Addresses on this machine or network that web tools may reach, as host:port; all others are refused.",
        default: [],
      },
    },
  },
  browser: {
    keys: { executable: { type: "text", meaning: "Path of Chromium, when it is not on PATH." } },
  },
  image_gen: {
    keys: {
      provider: { type: "text", meaning: "Provider that draws pictures." },
      model: { type: "text", meaning: "Model to ask for there." },
    },
  },
  tts: {
    keys: {
      provider: {
        type: "text",
        meaning: "Who speaks: `espeak` (espeak-ng on this machine) or a provider.",
        default: "espeak",
      },
      model: { type: "text", meaning: "Model to ask for, when a provider speaks." },
      voice: { type: "text", meaning: "Voice to speak with." },
    },
  },
  delegation: {
    keys: {
      runtime: {
        type: ["loop", "codex"],
        meaning: "Who runs delegated tasks: `loop` or `codex`; that of the session when unset.",
      },
      model: { type: "text", meaning: "Model of delegated tasks; that of the session when unset." },
      max_concurrent: {
        type: "oneToTen",
        meaning: "Delegated tasks that run at the same time.",
        default: 3,
      },
      max_seconds: {
        type: "seconds",
        meaning: "Seconds that a delegated task may work, not counting the wait for a person.",
        default: 600,
      },
      budget: limit("a delegated task"),
    },
  },
} as const satisfies Readonly<Record<string, Section>>;
