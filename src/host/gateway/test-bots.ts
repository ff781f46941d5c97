import { type Platform, platforms } from "../../core/gateway/chat.ts";
import type { GatewayBot, LiveGateway, TestedBot } from "../../core/gateway/gateway.ts";
import type { ChatKey, StoredOutbox } from "../../core/gateway/tables.ts";
import type { Foundation } from "../foundation.ts";
import { allBots } from "./status.ts";

type Parts = Pick<Foundation, "store" | "loaded" | "clock" | "isGone">;

/** A receipt that does not come in this time is reported as missing; the message stays in the outbox. */
const patienceMs = 30_000;
const lookAgainMs = 200;

/** Every bot that the settings want sends the owner a message, the whole way that an answer goes. */
export async function testBots(
  parts: Parts,
  live: LiveGateway | undefined,
  only: readonly Platform[] | undefined,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly TestedBot[]> {
  const bots = await allBots(parts, live);
  const wanted = only ?? platforms.filter((surface) => bots.some((bot) => bot.surface === surface));
  return Promise.all(
    wanted.map((surface) =>
      testBot(
        parts,
        surface,
        bots.find((bot) => bot.surface === surface),
        signal,
      ),
    ),
  );
}

async function testBot(
  parts: Parts,
  surface: Platform,
  bot: GatewayBot | undefined,
  signal: AbortSignal,
): Promise<TestedBot> {
  if (bot === undefined)
    return {
      surface,
      ok: false,
      detail: `gateway.${surface} is not set`,
      next: "`talaria setup` sets a chat app up.",
    };
  if (bot.state !== "connected")
    return {
      surface,
      ok: false,
      detail: `${bot.state}${bot.detail === undefined ? "" : `: ${bot.detail}`}`,
      next:
        bot.state === "stopped" ? "Start it: `talaria serve`." : "`talaria gateway status` says how it is.",
    };
  const who = `${bot.name ?? "the bot"} (${bot.account ?? "?"})`;
  const to = await ownersDirect(parts, surface);
  if (to === undefined)
    return {
      surface,
      ok: false,
      detail: `${who} is connected, and the owner has not written to it yet`,
      next: `Write to it on ${surface}; who is unknown is given a code for \`talaria gateway pair\`.`,
    };
  const { clock, store } = parts;
  const body = { kind: "answer", markdown: "A test message of Talaria. It arrived." } as const;
  const row = await store.outbox.add({ ...to, body }, clock.now());
  return { surface, ...outcome(who, await settledRow(parts, row, signal)) };
}

/** Where the owner was last heard on this platform. */
async function ownersDirect({ store }: Parts, surface: Platform): Promise<ChatKey | undefined> {
  const people = await store.people.list();
  const owners = people.filter(
    (one) => one.role === "owner" && one.revokedAt === undefined && one.surface === surface,
  );
  return owners.find(({ direct }) => direct !== undefined)?.direct;
}

async function settledRow(
  { store, clock }: Parts,
  row: StoredOutbox,
  signal: AbortSignal,
): Promise<StoredOutbox> {
  const until = clock.now() + patienceMs;
  for (;;) {
    const now = (await store.outbox.get(row.id)) ?? row;
    if (["sent", "dead", "ambiguous"].includes(now.state) || clock.now() >= until) return now;
    await clock.sleep(lookAgainMs, signal);
  }
}

function outcome(who: string, { id, state, platformId, why }: StoredOutbox): Omit<TestedBot, "surface"> {
  if (state === "sent")
    return {
      ok: true,
      detail: `${who} has sent you a message`,
      ...(platformId === undefined ? {} : { receipt: platformId }),
    };
  const said = why === undefined ? "" : `: ${why}`;
  const next = `\`talaria why ${id}\` says more.`;
  if (state === "dead") return { ok: false, detail: `${who} could not send it${said}`, next };
  if (state === "ambiguous")
    return { ok: false, detail: `${who} has sent it, and nobody can say whether it arrived${said}`, next };
  return { ok: false, detail: `${who} has not sent it in ${patienceMs / 1000} s${said}`, next };
}
