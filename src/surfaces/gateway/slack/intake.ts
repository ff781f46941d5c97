import { type ChatEvent, type ChatMessage, chatName } from "../../../core/gateway/chat.ts";
import type { Fields } from "../../../core/json.ts";
import { type Lanes, lanes } from "../../../lib/lanes.ts";
import type { Company } from "./company.ts";
import type { SlackIdentity } from "./identity.ts";
import { dropOldest } from "./lookup.ts";
import type { Marks } from "./marks.ts";
import { type Handed, parse, parseMessage } from "./parse.ts";
import { type SlashReply, slashReply } from "./slash-command.ts";

/** The way of an event from Slack to the gateway. Within a channel one after the other, as they come. */
export type Intake = {
  /** Resolves when it may be acknowledged: it is stored, was before, or is nothing to store, but perhaps to be replied to at once. */
  hand(handed: Handed): Promise<SlashReply | undefined>;
  /** Out of a history, by whoever has the channel's lane. */
  handOld(message: Fields, channel: string): Promise<void>;
  /** Of channels. */
  readonly lanes: Lanes<string>;
};

/** That were stored by this process: most doubles are found here and not in the store. */
const mostRemembered = 5000;

export function slackIntake(deps: {
  readonly self: SlackIdentity;
  readonly company: Company;
  readonly marks: Marks;
  take(event: ChatEvent): Promise<void>;
  /** Something could not be stored. */
  missed(channel: string): void;
}): Intake {
  const byChannel = lanes<string>();
  const stored = new Set<string>();

  async function takeMessage(message: ChatMessage): Promise<void> {
    const [chat, { messageId }] = [chatName(message.address), message];
    const name = `${message.address.chat}/${messageId}`;
    if (stored.has(name)) return;
    try {
      await deps.take(await deps.company.complete(message));
    } catch (error) {
      deps.marks.owe(chat, messageId);
      deps.missed(message.address.chat);
      throw error;
    }
    stored.add(name);
    dropOldest(stored, mostRemembered);
    deps.marks.read(chat, messageId);
  }

  return {
    lanes: byChannel,
    async hand(handed) {
      const event = parse(handed, deps.self);
      if (event.kind === "message") await byChannel.run(event.address.chat, () => takeMessage(event));
      else await deps.take(event);
      return handed.type === "slash_commands" ? slashReply(handed.body) : undefined;
    },
    async handOld(message, channel) {
      const event = parseMessage(message, channel, deps.self);
      if (event.kind === "message") await takeMessage(event);
    },
  };
}
