import type { Loaded } from "../../config/config.ts";
import type { KeyChange } from "../../config/edit.ts";
import { type Platform, platforms } from "../../core/gateway/chat.ts";
import type { BotChoice, KnownBot } from "../../core/maintenance.ts";

type Token = { readonly setting: string; readonly variable: string };

/** The chat apps, and which variables hold their tokens: those of the settings, or the usual ones. */
export const knownBots = (loaded: Loaded): readonly KnownBot[] =>
  platforms.map((platform) => ({
    platform,
    variables: tokensOf(loaded, platform).map(({ variable }) => variable),
    isOn: loaded.config.gateway[platform] !== undefined,
  }));

/** What is to be written into config.yaml for it. Its tokens are for .env. */
export const botChanges = (loaded: Loaded, { platform }: BotChoice): readonly KeyChange[] =>
  tokensOf(loaded, platform).map(({ setting, variable }) => ({
    key: `gateway.${platform}.${setting}`,
    typed: variable,
  }));

function tokensOf({ config: { gateway } }: Loaded, platform: Platform): readonly Token[] {
  switch (platform) {
    case "telegram":
      return [{ setting: "token_env", variable: gateway.telegram?.tokenEnv ?? "TELEGRAM_BOT_TOKEN" }];
    case "slack":
      return [
        { setting: "bot_token_env", variable: gateway.slack?.botTokenEnv ?? "SLACK_BOT_TOKEN" },
        { setting: "app_token_env", variable: gateway.slack?.appTokenEnv ?? "SLACK_APP_TOKEN" },
      ];
    case "discord":
      return [{ setting: "token_env", variable: gateway.discord?.tokenEnv ?? "DISCORD_BOT_TOKEN" }];
  }
}
