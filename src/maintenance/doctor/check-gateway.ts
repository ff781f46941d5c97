import { botVariables } from "../../config/gateway/settings.ts";
import type { Platform } from "../../core/gateway/chat.ts";
import type { LiveBot } from "../../core/gateway/gateway.ts";
import { clean, counted } from "../../core/plain-text.ts";
import { botDuty } from "../../lib/secret.ts";
import type { Duty } from "../../store/schema/lease-tables.ts";
import type { Store } from "../../store/store.ts";
import type { Facts, ReadableSettings } from "./facts.ts";
import { type Finding, type Probe, fine, note, wrong } from "./probe.ts";

/** Each chat app of the settings: has it its tokens, is somebody let in, and how is its bot? The host that runs it says so; no platform is asked. */
export function gatewayProbes({ settings, store, isGone, location, bots }: Facts): readonly Probe[] {
  if ("fault" in settings) return [];
  const facts = { settings, store, isGone, location, bots };
  return [...botVariables(settings.loaded.config.gateway)].map(([surface, variables]) => ({
    name: titleOf(surface),
    look: async () => [await look(surface, variables, facts)],
  }));
}

const titleOf = (surface: Platform): string => `chat app ${surface}`;

type GatewayFacts = Pick<Facts, "store" | "isGone" | "location" | "bots"> & {
  readonly settings: ReadableSettings;
};

async function look(
  surface: Platform,
  variables: readonly string[],
  { settings, store: openStore, isGone, location, bots }: GatewayFacts,
): Promise<Finding> {
  const title = titleOf(surface);
  const { secret } = settings.loaded;
  const missing = variables.filter((name) => secret(name) === undefined);
  if (missing.length > 0)
    return wrong(
      title,
      `${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} not set`,
      `Put ${missing.map((name) => `${name}=…`).join(" and ")} into ${location.paths.env}, or remove gateway.${surface}.`,
    );
  const store = await openStore();
  const people = store === undefined ? [] : await letIn(store, surface);
  const bot = botDuty(secret(variables[0] ?? "") ?? "");
  const running = store === undefined ? undefined : await holderOf(store, bot, isGone);
  const facts = `${counted(people.length, "person or group", "people or groups")} let in`;
  const live = (await bots())?.find((one) => one.surface === surface);
  if (running === undefined) {
    const host = store === undefined ? undefined : await holderOf(store, "tick", isGone);
    return host === undefined
      ? note(
          title,
          `no process answers there; ${facts}`,
          "Start it: talaria serve, or talaria service install.",
        )
      : wrong(
          title,
          `a host runs (${host}), and its bot is not open; ${facts}`,
          "talaria gateway status says why.",
        );
  }
  const trouble = live && troubleOf(title, running, live);
  if (trouble !== undefined) return trouble;
  if (people.length === 0)
    return note(
      title,
      `${running} answers there, and nobody was let in`,
      "Write to the bot: it answers with a code for `talaria gateway pair CODE --role owner`.",
    );
  if (!people.some(({ role }) => role === "owner"))
    return note(
      title,
      `${running} answers there; ${facts}, and none of them is the owner`,
      `Write /whoami to the bot, then: talaria gateway allow ${surface}:ID --role owner`,
    );
  if (live === undefined)
    return note(
      title,
      `${running} has the bot; how it is cannot be said from here; ${facts}`,
      "That process knows: talaria gateway status.",
    );
  return fine(title, `${running} answers there; ${facts}`);
}

/** It has the bot, but does it hear anything? */
function troubleOf(title: string, running: string, { state, detail }: LiveBot): Finding | undefined {
  if (state === "connected") return undefined;
  const text = `${running} has the bot, which is ${state}${detail === undefined ? "" : `: ${clean(detail)}`}`;
  return (state === "failed" ? wrong : note)(title, text, "talaria gateway status says how it goes on.");
}

const letIn = async ({ people }: Store, surface: Platform) =>
  (await people.list()).filter((one) => one.surface === surface && one.revokedAt === undefined);

async function holderOf({ leases }: Store, duty: Duty, isGone: Facts["isGone"]): Promise<string | undefined> {
  const holder = await leases.dutyHolder(duty);
  return holder === undefined || isGone(holder.owner)
    ? undefined
    : `pid ${holder.owner.pid} on ${holder.owner.host}`;
}
