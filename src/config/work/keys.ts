import type { Section } from "../setting.ts";

/** What work may take in a day. */
const dayLimit = <Turns extends object, Tokens extends object>(
  whose: string,
  { turns, tokens }: { readonly turns?: Turns; readonly tokens?: Tokens } = {},
) =>
  ({
    keys: {
      turns: { type: "count", meaning: `Turns a day of ${whose}.`, ...(turns as Turns) },
      tokens: { type: "tokens", meaning: `Tokens a day of ${whose}.`, ...(tokens as Tokens) },
      usd: { type: "usd", meaning: `USD a day of ${whose}, as far as prices are known.` },
    },
  }) as const;

/** The section of config.yaml about work that nobody typed. */
export const workSettings = {
  work: {
    about:
      "Turns that nobody typed, such as those of [schedules](schedules.md). What a run may use is reserved before it begins; `talaria work status` says what is left.",
    keys: {
      zone: {
        type: "zone",
        meaning:
          "Time zone in which days begin and times of schedules are meant, such as Europe/Berlin; that of the machine when unset.",
        confusedWith: ["timezone", "work.timezone", "work.tz"],
      },
      max_concurrent: { type: "oneToTen", meaning: "Runs that are under way at the same time.", default: 2 },
      max_seconds: { type: "seconds", meaning: "Seconds that a run may work.", default: 1800 },
      pause_after: {
        type: "count",
        meaning: "Runs of a schedule that go wrong in a row before it is paused.",
        default: 5,
      },
      cards: {
        keys: {
          workers: {
            type: "oneToTen",
            meaning: "[Cards](kanban.md) that are worked on at the same time.",
            default: 2,
          },
          hand_out: {
            type: "yesOrNo",
            meaning:
              "Whether your own sessions have the tools of boards, to make cards and look at them. Workers of cards always have theirs.",
            default: false,
          },
        },
      },
      budget: {
        keys: {
          tokens: {
            type: "tokens",
            meaning: "Tokens that one run may use, unless its job says otherwise.",
            default: 500_000,
          },
          usd: { type: "usd", meaning: "USD that one run may cost, unless its job says otherwise." },
          day: dayLimit("all work together", {
            turns: { default: 500 },
            tokens: { default: 20_000_000 },
          }),
          job: dayLimit("one job"),
          origins: {
            keys: {
              schedule: dayLimit("all schedules"),
              card: dayLimit("all cards"),
              goal: dayLimit("all goals"),
              batch: dayLimit("all batches"),
              review: dayLimit("all reviews"),
              delegate: dayLimit("all delegated tasks"),
            },
          },
        },
      },
    },
  },
} as const satisfies Readonly<Record<string, Section>>;
