import type { Platform } from "../../src/core/gateway/chat.ts";
import { startDiscord } from "./discord/discord.ts";
import { startSlack } from "./slack/slack.ts";
import { direct, startTelegram } from "./telegram/telegram.ts";

/** What the bot has said in a chat, as its person sees it. */
export type Seen = {
  readonly id: string;
  readonly text: string;
  readonly buttons: readonly { readonly label: string; readonly data: string }[];
  readonly files: readonly string[];
};

/** One person in a direct chat with the bot, on a platform that speaks its own protocol on loopback. */
export type ChatWindow = AsyncDisposable & {
  readonly surface: Platform;
  /** For config.yaml and .env. */
  readonly settings: string;
  readonly variables: string;
  /** As `gateway allow` wants it. */
  readonly person: string;
  say(text: string, picture?: Buffer): void;
  press(message: Seen, label: string): void;
  seen(): readonly Seen[];
};

export const chatWindows: Readonly<Record<Platform, () => Promise<ChatWindow>>> = {
  async telegram() {
    const fake = await startTelegram();
    const ada = { id: 77, name: "Ada" };
    const chat = direct(ada);
    return {
      surface: "telegram",
      settings: `  telegram: {api: "${fake.url}"}`,
      variables: `TELEGRAM_BOT_TOKEN=${fake.token}`,
      person: "77",
      say: (text, photo) => void fake.say(chat, ada, text, photo === undefined ? {} : { photo }),
      press: (message, label) => {
        const data = message.buttons.find((button) => button.label === label)?.data ?? "";
        fake.press(chat, ada, Number(message.id), data);
      },
      seen: () =>
        fake.shown(chat).map(({ messageId, text, buttons, file }) => ({
          id: String(messageId),
          text,
          buttons,
          files: file === undefined ? [] : [file.name],
        })),
      [Symbol.asyncDispose]: () => fake[Symbol.asyncDispose](),
    };
  },
  async slack() {
    const fake = await startSlack();
    fake.person("U77", "Ada");
    return {
      surface: "slack",
      settings: `  slack: {api: "${fake.api}"}`,
      variables: `SLACK_BOT_TOKEN=${fake.botToken}\nSLACK_APP_TOKEN=${fake.appToken}`,
      person: "U77",
      say: (text, bytes) =>
        void fake.say(
          "D77",
          "U77",
          text,
          bytes === undefined ? {} : { files: [{ name: "owl.png", mimetype: "image/png", bytes }] },
        ),
      press: (message, label) => {
        const data = message.buttons.find((button) => button.label === label)?.data ?? "";
        fake.press("D77", message.id, "U77", data);
      },
      seen: () =>
        fake
          .shown("D77")
          .filter(({ isBot }) => isBot)
          .map(({ ts, text, buttons, files }) => ({
            id: ts,
            text,
            buttons,
            files: files.map(({ name }) => name),
          })),
      [Symbol.asyncDispose]: () => fake[Symbol.asyncDispose](),
    };
  },
  async discord() {
    const fake = await startDiscord();
    const ada = fake.person("Ada");
    const channel = fake.direct(ada);
    return {
      surface: "discord",
      settings: `  discord: {api: "${fake.api}"}`,
      variables: `DISCORD_BOT_TOKEN=${fake.token}`,
      person: ada.id,
      say: (text, bytes) =>
        void fake.say(
          channel,
          ada,
          text,
          bytes === undefined ? {} : { files: [{ name: "owl.png", type: "image/png", bytes }] },
        ),
      press: (message, label) => void fake.press(channel, message.id, label, ada),
      seen: () =>
        fake
          .shown(channel)
          .filter(({ from }) => from === fake.bot.username)
          .map(({ id, text, buttons, files }) => ({
            id,
            text,
            buttons: buttons.flat(),
            files: files.map(({ name }) => name),
          })),
      [Symbol.asyncDispose]: () => fake[Symbol.asyncDispose](),
    };
  },
};
