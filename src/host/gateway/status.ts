import { botVariables } from "../../config/gateway/settings.ts";
import type { Platform } from "../../core/gateway/chat.ts";
import type { GatewayBot, GatewayStatus, LiveGateway } from "../../core/gateway/gateway.ts";
import type { StoredOutbox } from "../../core/gateway/tables.ts";
import { botDuty } from "../../lib/secret.ts";
import type { Foundation } from "../foundation.ts";

type Parts = Pick<Foundation, "store" | "loaded" | "clock" | "isGone">;

/** How long what will not be sent is listed. */
const listedMs = 7 * 86_400_000;
const mostTroubles = 50;
const mostChats = 20;

export async function gatewayStatus(parts: Parts, live: LiveGateway | undefined): Promise<GatewayStatus> {
  const { store, clock } = parts;
  const { people, outbox, chats } = store;
  const now = clock.now();
  const bots = await allBots(parts, live);
  const recent = ({ at, settledAt }: StoredOutbox): boolean => now - (settledAt ?? at) < listedMs;
  const troubles = [...(await outbox.inState("ambiguous")), ...(await outbox.inState("dead")).filter(recent)];
  return {
    running: live !== undefined,
    bots,
    people: (await people.list()).filter(({ revokedAt }) => revokedAt === undefined).length,
    pairings: await people.pairings(now),
    troubles: troubles.slice(-mostTroubles),
    chats: await chats.list(mostChats),
  };
}

/** Those that run, and those that the settings want. */
export async function allBots(parts: Parts, live: LiveGateway | undefined): Promise<readonly GatewayBot[]> {
  const { outbox } = parts.store;
  const running = live?.bots() ?? [];
  const wanted = [...botVariables(parts.loaded.config.gateway)].filter(
    ([surface]) => !running.some((bot) => bot.surface === surface),
  );
  return Promise.all([
    ...running.map(async (bot) => ({
      ...bot,
      waiting: bot.account === undefined ? 0 : (await outbox.due(bot.surface, bot.account)).length,
    })),
    ...wanted.map(([surface, [token = ""]]) => stopped(parts, surface, token, live !== undefined)),
  ]);
}

async function stopped(
  { store, loaded, isGone }: Parts,
  surface: Platform,
  variable: string,
  isOpen: boolean,
): Promise<GatewayBot> {
  const token = loaded.secret(variable);
  const holder = token === undefined ? undefined : await store.leases.dutyHolder(botDuty(token));
  const isHeld = holder !== undefined && !isGone(holder.owner);
  const waiting = (await store.outbox.inState("pending", surface)).length;
  return { surface, state: "stopped", restarts: 0, waiting, detail: detail() };

  function detail(): string {
    if (token === undefined) return `${variable} is not set, neither in the environment nor in .env`;
    if (isHeld) return `another process has it: pid ${holder.owner.pid} on ${holder.owner.host}`;
    return isOpen ? "it is not open; start talaria serve again" : "talaria serve does not run";
  }
}
