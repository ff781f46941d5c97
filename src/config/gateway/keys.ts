import type { Section } from "../setting.ts";

const api = (own: string, such = "") =>
  ({
    type: "botApi",
    meaning: `Base address to use instead of ${own}${such}: https, or http on this machine.`,
    confusedWith: ["api_url", "base_url", "url", "endpoint"],
  }) as const;

const token = (name: string, whose: string) =>
  ({
    type: "variableName",
    meaning: `Name of the variable, in the environment or .env, that holds ${whose}; ${name} when unset.`,
  }) as const;

/** The section of config.yaml about chat apps. A platform is on when its key is there, with or without anything below it. */
export const gatewaySettings = {
  gateway: {
    about:
      "Chat apps through which `talaria serve` is reached. See [the gateway](gateway.md). A platform is on when its name is there: `gateway: {telegram: {}}`.",
    keys: {
      telegram: {
        alone: true,
        keys: {
          token_env: {
            ...token("TELEGRAM_BOT_TOKEN", "the bot's token"),
            confusedWith: ["token", "bot_token", "bot_token_env"],
          },
          api: api("https://api.telegram.org", ", such as that of a Bot API server of your own"),
          webhook_url: {
            type: "botApi",
            meaning:
              "Address at which Telegram reaches `talaria serve`, ending in /gateway/telegram; without it, Talaria asks for messages itself.",
          },
          webhook_secret_env: {
            type: "variableName",
            meaning:
              "Name of the variable that holds the secret which Telegram shows there; needed with `webhook_url`.",
          },
        },
      },
      slack: {
        alone: true,
        keys: {
          bot_token_env: {
            ...token("SLACK_BOT_TOKEN", "the bot's token (xoxb-…)"),
            confusedWith: ["token_env", "token", "bot_token"],
          },
          app_token_env: {
            ...token("SLACK_APP_TOKEN", "the app's token (xapp-…), for Socket Mode"),
            confusedWith: ["app_token"],
          },
          signing_secret_env: {
            type: "variableName",
            meaning:
              "Name of the variable that holds the signing secret. With it, and without `app_token_env`, Slack brings events to /gateway/slack over HTTP instead.",
            confusedWith: ["signing_secret"],
          },
          api: api("https://slack.com/api"),
        },
      },
      discord: {
        alone: true,
        keys: {
          token_env: {
            ...token("DISCORD_BOT_TOKEN", "the bot's token"),
            confusedWith: ["token", "bot_token", "bot_token_env"],
          },
          api: api("https://discord.com/api"),
        },
      },
      busy: {
        type: ["queue", "steer", "interrupt"],
        meaning:
          "What a message does while a turn of its chat runs: `queue` runs it afterwards, `steer` puts it into the turn, `interrupt` stops the turn for it.",
        default: "queue",
        confusedWith: ["gateway.busy_input_mode", "gateway.busy_input"],
      },
      groups: {
        type: ["person", "shared"],
        meaning:
          "In groups, `person` gives everybody a session of their own, `shared` one to all. Threads and topics are always shared.",
        default: "person",
      },
      mention: {
        type: "yesOrNo",
        meaning: "Whether in groups only messages count that mention the bot or answer it.",
        default: true,
        confusedWith: ["gateway.require_mention"],
      },
      stream: {
        type: "yesOrNo",
        meaning: "Whether an answer appears while it is written, by edits of its message.",
        default: false,
        confusedWith: ["gateway.streaming"],
      },
      notify: {
        type: "chatTarget",
        meaning:
          "Chat in which you are told what needs you, such as telegram:12345; where you last wrote directly when unset.",
        confusedWith: ["gateway.home", "gateway.home_channel", "gateway.owner"],
      },
      notices: {
        type: ["needs", "results", "all"],
        meaning:
          "What you are told there: `needs` is what waits for you, `results` also what is done or has failed, `all` also runs of work that have begun.",
        default: "results",
      },
      quiet: {
        type: "timeSpan",
        meaning:
          'Times between which nothing is told by itself, such as "22:00-07:00", in the time zone of `work.zone`; it waits until they are over.',
        confusedWith: ["gateway.quiet_hours"],
      },
    },
  },
} as const satisfies Readonly<Record<string, Section>>;
