import type { Section } from "./setting.ts";

/** The sections of config.yaml about memory, skills, review and curator. */
export const learningSettings = {
  memory: {
    about: "See [learning](learning.md).",
    keys: {
      enabled: {
        type: "yesOrNo",
        meaning: "Whether Talaria remembers things about your work (MEMORY.md).",
        default: true,
        confusedWith: ["memory.memory_enabled"],
      },
      user_profile: {
        type: "yesOrNo",
        meaning: "Whether it remembers things about you (USER.md).",
        default: true,
        confusedWith: ["memory.user_profile_enabled"],
      },
      char_limit: {
        type: "characters",
        meaning: "Characters that MEMORY.md may have, and each project's.",
        default: 2200,
        confusedWith: ["memory.memory_char_limit"],
      },
      user_char_limit: {
        type: "characters",
        meaning: "Characters that USER.md may have.",
        default: 1375,
      },
      nudge_interval: {
        type: "zeroOrMore",
        meaning: "Turns of yours after which memory is reviewed; 0 is never.",
        default: 10,
      },
      provider: {
        keys: {
          url: {
            type: "address",
            required: true,
            meaning:
              "Address of a memory service beside the files: it is asked before a turn and told after a good one.",
          },
          key_env: { type: "variableName", meaning: "Name of the variable that holds its key." },
        },
      },
    },
  },
  skills: {
    about: "See [learning](learning.md#skills).",
    keys: {
      enabled: { type: "yesOrNo", meaning: "Whether skills are offered and learned.", default: true },
      creation_nudge_interval: {
        type: "zeroOrMore",
        meaning: "Tool calls after which skills are reviewed; 0 is never.",
        default: 10,
        confusedWith: ["skills.nudge_interval"],
      },
      external_dirs: {
        type: "texts",
        meaning: "Further folders with skills; they are read and never changed.",
        default: [],
      },
    },
  },
  learning: {
    about: "See [reviews](learning.md#review).",
    keys: {
      mode: {
        type: ["off", "propose", "auto"],
        meaning:
          "`off`: nothing is reviewed. `propose`: what a review wants waits for your yes. `auto`: what rests on your own words is kept at once, the rest waits.",
        default: "auto",
        confusedWith: ["learning.enabled", "learning.review"],
      },
      review_tokens: {
        type: "tokens",
        meaning: "Tokens that one review may use; what comes from the provider's cache does not count.",
        default: 200_000,
      },
      day_tokens: {
        type: "tokens",
        meaning: "Tokens that all reviews of a day (UTC) may use, counted likewise.",
        default: 2_000_000,
      },
      review_usd: { type: "usd", meaning: "USD that one review may cost." },
    },
  },
  curator: {
    about: "See [the curator](learning.md#the-curator).",
    keys: {
      enabled: {
        type: "yesOrNo",
        meaning: "Whether skills that nobody uses are put away after a while.",
        default: true,
      },
      interval_hours: { type: "hours", meaning: "Hours between two runs of it.", default: 168 },
      stale_days: {
        type: "days",
        meaning: "Days without use after which a learned skill is called stale.",
        default: 30,
      },
      archive_days: {
        type: "days",
        meaning: "Days without use after which it is archived.",
        default: 90,
      },
    },
  },
} as const satisfies Readonly<Record<string, Section>>;
