import { Refusal } from "../../../core/host.ts";

const portal = "https://discord.com/developers/applications";

export const tokenRefused = (): Refusal =>
  new Refusal(
    "auth",
    "Discord does not accept the bot's token.",
    `Make a new one at ${portal} (your application, Bot, Reset Token), put it where the setting token_env says, and start again.`,
  );

/** The codes after which connecting again leads nowhere (docs: gateway close event codes), each with what to do. */
export function fatalClose(code: number): Refusal | undefined {
  switch (code) {
    case 4004:
      return tokenRefused();
    case 4010:
    case 4011:
      return new Refusal(
        "config",
        "The bot is in more servers than one connection may serve.",
        "Remove it from some of them, then start again.",
      );
    case 4012:
      return new Refusal(
        "protocol",
        "Discord does not speak this version of its API any more.",
        "Update Talaria.",
      );
    case 4013:
    case 4014:
      return new Refusal(
        "config",
        "Discord does not let the bot read messages: its Message Content intent is off.",
        `Switch on Message Content Intent at ${portal} (your application, Bot, Privileged Gateway Intents), then start again.`,
      );
    default:
      return undefined;
  }
}
