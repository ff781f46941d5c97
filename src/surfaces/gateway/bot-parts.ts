import type { Client } from "../../core/calls.ts";
import type { Adapter, Platform } from "../../core/gateway/chat.ts";
import type { GatewayBehind } from "../../core/gateway/gateway.ts";
import type { ChatKey, NewOutbox } from "../../core/gateway/tables.ts";
import type { Host } from "../../core/host.ts";
import type { Caller } from "../../core/principal.ts";
import type { Clock } from "../../lib/clock.ts";
import { asTyped } from "./command-line.ts";

/** What every part of a bot has. */
export type BotParts = {
  readonly adapter: Adapter;
  readonly account: string;
  /** By which commands in a group call the bot. */
  readonly name: string;
  readonly host: Pick<Host, "as" | "subscribe">;
  readonly gateway: GatewayBehind;
  /** The other bots too: the owner may be asked elsewhere. */
  readonly adapterOf: (surface: Platform) => Adapter | undefined;
  readonly clock: Clock;
  readonly log: (line: string) => void;
};

/** What is needed to ask and tell somebody in any chat. */
export type ChatParts = Pick<BotParts, "gateway" | "host" | "adapterOf" | "clock" | "log">;

/** For what the gateway itself looks up; nobody's words are said with it. */
const itself: Caller = { surface: "gateway", id: "gateway", role: "owner", local: false };
export const houseOf = ({ host }: Pick<BotParts, "host">): Client => host.as(itself);

/** Puts words of ours into the outbox of a chat. */
export async function say(
  { gateway, clock }: Pick<BotParts, "gateway" | "clock">,
  to: ChatKey,
  markdown: string,
  also: Pick<NewOutbox, "replyTo" | "about" | "until"> = {},
): Promise<void> {
  const { surface, account, chat } = to;
  await gateway.outbox.add(
    { surface, account, chat, body: { kind: "answer", markdown: asTyped(surface, markdown) }, ...also },
    clock.now(),
  );
}
