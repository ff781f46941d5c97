import type { Platform } from "../../../core/gateway/chat.ts";
import type { BotChoice, Setup } from "../../../core/maintenance.ts";
import type { Asker } from "./ask.ts";

const names: Readonly<Record<Platform, string>> = {
  telegram: "Telegram",
  slack: "Slack",
  discord: "Discord",
};

/** What each token is called where it is made, and how it looks. In the order of its variables. */
const tokens: Readonly<Record<Platform, readonly { readonly what: string; readonly form: RegExp }[]>> = {
  telegram: [{ what: "The token that @BotFather gave you (123456:ABC…)", form: /^\d+:[\w-]{10,}$/ }],
  slack: [
    { what: "The bot token, from OAuth & Permissions (xoxb-…)", form: /^xoxb-\S+$/ },
    { what: "The app-level token, from Basic Information (xapp-…)", form: /^xapp-\S+$/ },
  ],
  discord: [{ what: "The token, from the page Bot of your application", form: /^[\w-]+\.[\w-]+\.[\w-]+$/ }],
};

/** Whether Talaria is to be reached from a chat app, too. `undefined`: not now. */
export async function askBot({ bots }: Setup, ask: Asker): Promise<BotChoice | undefined> {
  const chosen = await ask.select("Reach Talaria from a chat app, too?", [
    { value: "", label: "Not now" },
    ...bots.map(({ platform, isOn }) => ({
      value: platform,
      label: names[platform],
      hint: isOn ? "is set up; a new token replaces the old one" : `docs/user/${platform}.md has every step`,
    })),
  ]);
  const bot = bots.find(({ platform }) => platform === chosen);
  if (bot === undefined) return undefined;
  const typed: (readonly [string, string])[] = [];
  for (const [index, variable] of bot.variables.entries()) {
    const { what, form } = tokens[bot.platform][index] ?? { what: variable, form: /\S/ };
    const check = (text: string): string | undefined =>
      form.test(text.trim()) ? undefined : "That does not look like one.";
    typed.push([variable, await ask.secret(`${what}; it goes to .env and is not shown`, { check })]);
  }
  return { platform: bot.platform, tokens: Object.fromEntries(typed) };
}

/** What is left to do, in order. */
export const botSteps = ({ platform }: BotChoice): string =>
  [
    `Next, for ${names[platform]}:`,
    "  1. Start it: talaria serve (or talaria service install, and it stays)",
    `  2. Write to your bot on ${names[platform]}. It answers with a code.`,
    "  3. Let yourself in: talaria gateway pair CODE --role owner",
  ].join("\n");
