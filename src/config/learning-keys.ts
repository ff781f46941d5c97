import type { KnownKey } from "./keys.ts";

/** What holds for learning when nobody says otherwise, under the names of config.yaml. */
export const learningDefaults = {
  memory: { enabled: true, user_profile: true, char_limit: 2200, user_char_limit: 1375, nudge_interval: 10 },
  skills: { enabled: true, creation_nudge_interval: 10, external_dirs: [] },
  learning: { mode: "auto", review_tokens: 200_000, day_tokens: 2_000_000 },
  curator: { enabled: true, interval_hours: 168, stale_days: 30, archive_days: 90 },
  display: { busy_input_mode: "queue", bell: true, reasoning: "fold" },
} as const;

/** The keys of memory, skills, review and curator. */
export const learningKeys: readonly KnownKey[] = [
  {
    key: "memory.enabled",
    meaning: "Whether Talaria remembers things about your work (MEMORY.md).",
    default: learningDefaults.memory.enabled,
    effect: "now",
    confusedWith: ["memory.memory_enabled"],
  },
  {
    key: "memory.user_profile",
    meaning: "Whether it remembers things about you (USER.md).",
    default: learningDefaults.memory.user_profile,
    effect: "now",
    confusedWith: ["memory.user_profile_enabled"],
  },
  {
    key: "memory.char_limit",
    meaning: "Characters that MEMORY.md may have, and each project's.",
    default: learningDefaults.memory.char_limit,
    effect: "now",
    confusedWith: ["memory.memory_char_limit"],
  },
  {
    key: "memory.user_char_limit",
    meaning: "Characters that USER.md may have.",
    default: learningDefaults.memory.user_char_limit,
    effect: "now",
  },
  {
    key: "memory.nudge_interval",
    meaning: "Turns of yours after which memory is reviewed; 0 is never.",
    default: learningDefaults.memory.nudge_interval,
    effect: "now",
  },
  {
    key: "memory.provider.url",
    meaning:
      "Address of a memory service beside the files: it is asked before a turn and told after a good one.",
    effect: "now",
  },
  {
    key: "memory.provider.key_env",
    meaning: "Name of the variable that holds its key.",
    effect: "now",
  },
  {
    key: "skills.enabled",
    meaning: "Whether skills are offered and learned.",
    default: learningDefaults.skills.enabled,
    effect: "now",
  },
  {
    key: "skills.creation_nudge_interval",
    meaning: "Tool calls after which skills are reviewed; 0 is never.",
    default: learningDefaults.skills.creation_nudge_interval,
    effect: "now",
    confusedWith: ["skills.nudge_interval"],
  },
  {
    key: "skills.external_dirs",
    meaning: "Further folders with skills; they are read and never changed.",
    default: learningDefaults.skills.external_dirs,
    effect: "now",
  },
  {
    key: "learning.mode",
    meaning:
      "`off`: nothing is reviewed. `propose`: what a review wants waits for your yes. `auto`: what rests on your own words is kept at once, the rest waits.",
    default: learningDefaults.learning.mode,
    effect: "now",
    confusedWith: ["learning.enabled", "learning.review"],
  },
  {
    key: "learning.review_tokens",
    meaning: "Tokens that one review may use; what comes from the provider's cache does not count.",
    default: learningDefaults.learning.review_tokens,
    effect: "now",
  },
  {
    key: "learning.day_tokens",
    meaning: "Tokens that all reviews of a day (UTC) may use, counted likewise.",
    default: learningDefaults.learning.day_tokens,
    effect: "now",
  },
  { key: "learning.review_usd", meaning: "USD that one review may cost.", effect: "now" },
  {
    key: "curator.enabled",
    meaning: "Whether skills that nobody uses are put away after a while.",
    default: learningDefaults.curator.enabled,
    effect: "now",
  },
  {
    key: "curator.interval_hours",
    meaning: "Hours between two runs of it.",
    default: learningDefaults.curator.interval_hours,
    effect: "now",
  },
  {
    key: "curator.stale_days",
    meaning: "Days without use after which a learned skill is called stale.",
    default: learningDefaults.curator.stale_days,
    effect: "now",
  },
  {
    key: "curator.archive_days",
    meaning: "Days without use after which it is archived.",
    default: learningDefaults.curator.archive_days,
    effect: "now",
  },
];
