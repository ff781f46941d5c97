import type { Adapter, Platform } from "../../core/gateway/chat.ts";
import type { GatewayBehind, GatewaySettings } from "../../core/gateway/gateway.ts";
import type { ServeLog } from "../../core/serving/door.ts";
import type { Clock } from "../../lib/clock.ts";

/** A bot that the settings name. Its library is loaded here: most hosts have none. */
export type WantedBot = {
  readonly surface: Platform;
  readonly token: string;
  readonly makeAdapter: () => Adapter;
};

type Needs = { readonly clock: Clock; readonly log: ServeLog };

/** Those whose variables are set; of others it is said which one is missing. */
export async function wantedBots(
  { settings, secret }: Pick<GatewayBehind, "settings" | "secret">,
  needs: Needs,
): Promise<readonly WantedBot[]> {
  const read = (name: string | undefined): string | undefined =>
    name === undefined ? undefined : secret(name);
  const bots = await Promise.all([
    telegram(settings.telegram, read, needs),
    slack(settings.slack, read, needs),
    discord(settings.discord, read, needs),
  ]);
  return bots.flatMap((bot) => bot ?? []);
}

type Read = (name: string | undefined) => string | undefined;

async function telegram(
  settings: GatewaySettings["telegram"],
  read: Read,
  needs: Needs,
): Promise<WantedBot | undefined> {
  if (settings === undefined) return undefined;
  const token = read(settings.tokenEnv);
  if (token === undefined) return missing(needs, "telegram", settings.tokenEnv);
  const { url, secretEnv } = settings.webhook ?? {};
  const secret = read(secretEnv);
  if (secretEnv !== undefined && secret === undefined) return missing(needs, "telegram", secretEnv);
  const webhook = url === undefined || secret === undefined ? {} : { webhook: { url, secret } };
  const { telegramAdapter } = await import("./telegram/adapter.ts");
  const makeAdapter = (): Adapter => {
    const adapter = telegramAdapter({ ...needs, token, ...apiOf(settings), ...webhook });
    const receiveHttp: Adapter["receiveHttp"] = async ({ header, body }) => ({
      status: await adapter.handleWebhook(header("X-Telegram-Bot-Api-Secret-Token"), body),
      body: "",
    });
    return { ...adapter, receiveHttp };
  };
  return { surface: "telegram", token, makeAdapter };
}

async function slack(
  settings: GatewaySettings["slack"],
  read: Read,
  needs: Needs,
): Promise<WantedBot | undefined> {
  if (settings === undefined) return undefined;
  const token = read(settings.botTokenEnv);
  if (token === undefined) return missing(needs, "slack", settings.botTokenEnv);
  const [appToken, signingSecret] = [read(settings.appTokenEnv), read(settings.signingSecretEnv)];
  if (appToken === undefined && signingSecret === undefined)
    return missing(needs, "slack", settings.appTokenEnv ?? "SLACK_APP_TOKEN");
  const { slackAdapter } = await import("./slack/adapter.ts");
  const secrets = {
    botToken: token,
    ...(appToken === undefined ? {} : { appToken }),
    ...(signingSecret === undefined ? {} : { signingSecret }),
  };
  const makeAdapter = (): Adapter => {
    const adapter = slackAdapter({ ...needs, ...secrets, ...apiOf(settings) });
    const names = ["x-slack-request-timestamp", "x-slack-signature", "content-type"];
    const receiveHttp: Adapter["receiveHttp"] = async ({ header, body }) =>
      adapter.receive({
        headers: Object.fromEntries(names.map((name) => [name, header(name)])),
        body: await body(),
      });
    return { ...adapter, receiveHttp };
  };
  return { surface: "slack", token, makeAdapter };
}

async function discord(
  settings: GatewaySettings["discord"],
  read: Read,
  needs: Needs,
): Promise<WantedBot | undefined> {
  if (settings === undefined) return undefined;
  const token = read(settings.tokenEnv);
  if (token === undefined) return missing(needs, "discord", settings.tokenEnv);
  const { discordAdapter } = await import("./discord/adapter.ts");
  return {
    surface: "discord",
    token,
    makeAdapter: () => discordAdapter({ ...needs, token, ...apiOf(settings) }),
  };
}

const apiOf = ({ api }: { readonly api?: string }): { readonly api?: string } =>
  api === undefined ? {} : { api };

function missing({ log }: Needs, surface: Platform, variable: string): undefined {
  log(`${surface} is in the settings, but ${variable} is not set: put it into .env and start again.`);
  return undefined;
}
