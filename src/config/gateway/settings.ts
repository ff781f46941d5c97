import { platforms } from "../../core/gateway/chat.ts";
import type {
  DiscordSettings,
  GatewaySettings,
  SlackSettings,
  TelegramSettings,
} from "../../core/gateway/gateway.ts";
import { defaults, type FileSettings } from "../keys.ts";
import { timeSpan } from "./time-span.ts";

type Written = NonNullable<FileSettings["gateway"]>;

/** All but the time zone: finding out the machine's own takes a while, and is for whoever needs it. */
export type ChatSettings = Omit<GatewaySettings, "zone">;

export function gatewaySettings({ gateway: written = {} }: FileSettings): ChatSettings {
  const { busy, groups, mention, stream, notices, notify, quiet } = { ...defaults.gateway, ...written };
  return {
    ...botSettings(written),
    busy,
    groups,
    mention,
    stream,
    notices,
    ...(notify === undefined ? {} : { notify }),
    ...(quiet === undefined ? {} : { quiet: timeSpan(quiet) }),
  };
}

type Bots = Pick<GatewaySettings, "telegram" | "slack" | "discord">;

const botSettings = ({ telegram, slack, discord }: Written): Bots => ({
  ...(telegram === undefined ? {} : { telegram: telegramSettings(telegram) }),
  ...(slack === undefined ? {} : { slack: slackSettings(slack) }),
  ...(discord === undefined ? {} : { discord: discordSettings(discord) }),
});

function telegramSettings(written: NonNullable<Written["telegram"]>): TelegramSettings {
  const { webhook_url: url, webhook_secret_env: secretEnv } = written;
  return {
    tokenEnv: written.token_env ?? "TELEGRAM_BOT_TOKEN",
    ...apiOf(written),
    ...(url === undefined || secretEnv === undefined ? {} : { webhook: { url, secretEnv } }),
  };
}

/** Whoever names the signing secret alone has no app-level token: Slack comes over HTTP. */
function slackSettings(written: NonNullable<Written["slack"]>): SlackSettings {
  const { signing_secret_env: signingSecretEnv, app_token_env: named } = written;
  const appTokenEnv = named ?? (signingSecretEnv === undefined ? "SLACK_APP_TOKEN" : undefined);
  return {
    botTokenEnv: written.bot_token_env ?? "SLACK_BOT_TOKEN",
    ...apiOf(written),
    ...(appTokenEnv === undefined ? {} : { appTokenEnv }),
    ...(signingSecretEnv === undefined ? {} : { signingSecretEnv }),
  };
}

const discordSettings = (written: NonNullable<Written["discord"]>): DiscordSettings => ({
  tokenEnv: written.token_env ?? "DISCORD_BOT_TOKEN",
  ...apiOf(written),
});

const apiOf = ({ api }: { readonly api?: string }): { readonly api?: string } =>
  api === undefined ? {} : { api: api.replace(/\/+$/, "") };

/** The variables with what the bots prove themselves by, one list for each platform that is on. */
export const botVariables = (bots: Bots): ReadonlyMap<(typeof platforms)[number], readonly string[]> =>
  new Map(
    platforms.flatMap((platform) => {
      const names = variablesOf(bots, platform);
      return names === undefined ? [] : [[platform, names]];
    }),
  );

function variablesOf(
  { telegram, slack, discord }: Bots,
  platform: (typeof platforms)[number],
): readonly string[] | undefined {
  switch (platform) {
    case "telegram":
      return telegram && [telegram.tokenEnv, ...(telegram.webhook ? [telegram.webhook.secretEnv] : [])];
    case "slack":
      return slack && [slack.botTokenEnv, slack.appTokenEnv ?? [], slack.signingSecretEnv ?? []].flat();
    case "discord":
      return discord && [discord.tokenEnv];
  }
}
