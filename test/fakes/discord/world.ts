import type { Clock } from "../../../src/lib/clock.ts";

/** Shapes as Discord's API sends them: only the fields that a client reads. */
export type ApiUser = {
  readonly id: string;
  readonly username: string;
  readonly global_name: string | null;
  readonly discriminator: string;
  readonly avatar: string | null;
  readonly bot?: boolean;
};

export type ApiChannel = {
  readonly id: string;
  /** 0: text of a server, 1: direct, 11: public thread. */
  readonly type: 0 | 1 | 11;
  readonly name?: string;
  readonly guild_id?: string;
  readonly parent_id?: string;
  readonly recipients?: readonly ApiUser[];
};

export type ApiAttachment = {
  readonly id: string;
  readonly filename: string;
  readonly size: number;
  readonly url: string;
  readonly proxy_url: string;
  readonly content_type?: string;
  readonly duration_secs?: number;
  readonly waveform?: string;
};

export type ApiMessage = {
  readonly id: string;
  readonly type: number;
  readonly channel_id: string;
  readonly author: ApiUser;
  readonly content: string;
  readonly timestamp: string;
  readonly edited_timestamp: string | null;
  readonly tts: boolean;
  readonly mention_everyone: boolean;
  readonly mentions: readonly ApiUser[];
  readonly mention_roles: readonly string[];
  readonly attachments: readonly ApiAttachment[];
  readonly embeds: readonly unknown[];
  readonly pinned: boolean;
  readonly components: readonly unknown[];
  readonly flags: number;
  readonly nonce?: string;
  readonly webhook_id?: string;
  readonly message_reference?: { readonly message_id: string; readonly channel_id: string };
  readonly referenced_message?: ApiMessage | null;
};

export type ApiGuild = { readonly id: string; readonly name: string };

export type StoredFile = {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
  /** Its address works until then. */
  expiresAt: number;
};

/** What is there on a server of the fake: people, channels, messages. */
export type World = {
  readonly bot: ApiUser;
  readonly guild: ApiGuild;
  readonly users: Map<string, ApiUser>;
  readonly channels: Map<string, ApiChannel>;
  /** Of a channel, oldest first. */
  readonly messages: Map<string, ApiMessage[]>;
  readonly files: Map<string, StoredFile>;
  /** Why a channel is closed to the bot: a status and a code of Discord's. */
  readonly closed: Map<string, { readonly status: number; readonly code: number; readonly message: string }>;
  now(): number;
  snowflake(): string;
  message(part: Pick<ApiMessage, "channel_id" | "author" | "content"> & Partial<ApiMessage>): ApiMessage;
  find(channel: string, id: string): ApiMessage | undefined;
  replace(message: ApiMessage): void;
  erase(channel: string, id: string): boolean;
  /** The role of the bot's own name, which Discord makes when the bot joins. */
  readonly botRole: string;
};

const discordEpoch = 1_420_070_400_000;

export function makeWorld(clock: Clock): World {
  let last = 0n;
  const snowflake = (): string => {
    const fromTime = BigInt(Math.floor(clock.now()) - discordEpoch) << 22n;
    last = fromTime > last ? fromTime : last + 1n;
    return String(last);
  };
  const bot = user(snowflake(), "talaria", "Talaria", true);
  const messages = new Map<string, ApiMessage[]>();
  const world: World = {
    bot,
    guild: { id: snowflake(), name: "Lab" },
    botRole: snowflake(),
    users: new Map([[bot.id, bot]]),
    channels: new Map(),
    messages,
    files: new Map(),
    closed: new Map(),
    now: () => clock.now(),
    snowflake,
    message: (part) => {
      const message = { ...blank(snowflake(), clock.now()), ...part };
      const list = messages.get(part.channel_id) ?? [];
      list.push(message);
      messages.set(part.channel_id, list);
      return message;
    },
    find: (channel, id) => messages.get(channel)?.find((one) => one.id === id),
    replace: (message) => {
      const list = messages.get(message.channel_id) ?? [];
      const at = list.findIndex((one) => one.id === message.id);
      if (at >= 0) list[at] = message;
    },
    erase: (channel, id) => {
      const list = messages.get(channel) ?? [];
      const at = list.findIndex((one) => one.id === id);
      if (at >= 0) list.splice(at, 1);
      return at >= 0;
    },
  };
  return world;
}

export const user = (id: string, username: string, shown: string | null, bot = false): ApiUser => ({
  id,
  username,
  global_name: shown,
  discriminator: "0",
  avatar: null,
  ...(bot ? { bot: true } : {}),
});

function blank(id: string, now: number): Omit<ApiMessage, "channel_id" | "author" | "content"> {
  return {
    id,
    type: 0,
    timestamp: new Date(now).toISOString(),
    edited_timestamp: null,
    tts: false,
    mention_everyone: false,
    mentions: [],
    mention_roles: [],
    attachments: [],
    embeds: [],
    pinned: false,
    components: [],
    flags: 0,
  };
}

/** As a gateway event has it: with what a message of a server carries besides. */
export function eventOf(world: World, message: ApiMessage): Record<string, unknown> {
  const channel = world.channels.get(message.channel_id);
  if (channel?.guild_id === undefined) return { ...message, channel_type: 1 };
  const member = { nick: null, roles: [], joined_at: "2026-01-01T00:00:00.000Z", deaf: false, mute: false };
  return { ...message, channel_type: channel.type, guild_id: channel.guild_id, member };
}
