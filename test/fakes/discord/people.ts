import { eventOf, user, type ApiChannel, type ApiMessage, type ApiUser, type World } from "./world.ts";
import type { Gateway } from "./gateway.ts";
import { attach } from "./posting.ts";
import type { Pressed, Presses } from "./presses.ts";

export type SayOptions = {
  readonly files?: readonly { readonly name: string; readonly type: string; readonly bytes: Uint8Array }[];
  /** The file is a voice message. */
  readonly voice?: boolean;
  readonly replyTo?: string;
  /** It is there, but nobody is told (`deliver` does that). */
  readonly quietly?: boolean;
  readonly also?: Partial<ApiMessage>;
};

/** A message as somebody in the channel sees it. `text`: with its markup. */
export type Shown = {
  readonly id: string;
  readonly from: string;
  readonly text: string;
  readonly buttons: readonly (readonly { readonly label: string; readonly data: string }[])[];
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  readonly replyTo?: string;
  readonly isEdited: boolean;
};

/** What people do in the channels of the fake. */
export type People = {
  person(name: string, options?: { readonly bot?: boolean }): ApiUser;
  /** The direct channel with somebody. */
  direct(person: ApiUser): string;
  channel(name: string): string;
  thread(parent: string, name: string): string;
  say(channel: string, from: ApiUser, text: string, options?: SayOptions): string;
  edit(channel: string, id: string, text: string): void;
  erase(channel: string, id: string): void;
  /** `button`: its label or its data. */
  press(channel: string, messageId: string, button: string, from: ApiUser): Pressed;
  /** What is to be seen in a channel, oldest first. */
  shown(channel: string): readonly Shown[];
  /** Only what the bot has said. */
  answers(channel: string): readonly string[];
  /** The addresses of all files work no longer. */
  expireFiles(): void;
};

export function people(world: World, gateway: Gateway, presses: Presses, origin: () => string): People {
  const shown = (channel: string): readonly Shown[] =>
    (world.messages.get(channel) ?? []).map((message) => shownOf(world, message));
  return {
    person(name, { bot = false } = {}) {
      const somebody = user(world.snowflake(), name.toLowerCase(), name, bot);
      world.users.set(somebody.id, somebody);
      return somebody;
    },
    direct(person) {
      const known = [...world.channels.values()].find((one) => one.recipients?.[0]?.id === person.id);
      return known?.id ?? add(world, gateway, { type: 1, recipients: [person] });
    },
    channel: (name) => add(world, gateway, { type: 0, name, guild_id: world.guild.id }),
    thread: (parent, name) =>
      add(world, gateway, { type: 11, name, parent_id: parent, guild_id: world.guild.id }),
    say(channel, from, text, options = {}) {
      const message = world.message(said(world, origin(), channel, from, text, options));
      if (options.quietly !== true) gateway.dispatch("MESSAGE_CREATE", eventOf(world, message));
      return message.id;
    },
    edit(channel, id, text) {
      const message = world.find(channel, id);
      if (message === undefined) throw new Error(`There is no message ${id}.`);
      world.replace({ ...message, content: text });
      gateway.dispatch("MESSAGE_UPDATE", eventOf(world, { ...message, content: text }));
    },
    erase(channel, id) {
      world.erase(channel, id);
      gateway.dispatch("MESSAGE_DELETE", { id, channel_id: channel });
    },
    press(channel, messageId, button, from) {
      const all =
        shown(channel)
          .find((message) => message.id === messageId)
          ?.buttons.flat() ?? [];
      const data = all.find(({ label }) => label === button)?.data ?? button;
      return presses.press(channel, messageId, data, from);
    },
    shown,
    answers: (channel) =>
      shown(channel).flatMap(({ from, text }) => (from === world.bot.username ? [text] : [])),
    expireFiles() {
      for (const file of world.files.values()) file.expiresAt = 0;
    },
  };
}

function add(world: World, gateway: Gateway, channel: Omit<ApiChannel, "id">): string {
  const id = world.snowflake();
  world.channels.set(id, { id, ...channel });
  if (channel.type !== 1)
    gateway.dispatch(channel.type === 11 ? "THREAD_CREATE" : "CHANNEL_CREATE", { id, ...channel });
  return id;
}

function said(
  world: World,
  origin: string,
  channel: string,
  from: ApiUser,
  text: string,
  { files = [], voice = false, replyTo, also = {} }: SayOptions,
): Pick<ApiMessage, "channel_id" | "author" | "content"> & Partial<ApiMessage> {
  const named = [...text.matchAll(/<@!?(\d+)>/g)].flatMap(([, id = ""]) => world.users.get(id) ?? []);
  const attachments = attach(world, origin, channel, files);
  const answered = replyTo === undefined ? undefined : (world.find(channel, replyTo) ?? null);
  return {
    channel_id: channel,
    author: from,
    content: text,
    mentions: named,
    mention_roles: [...text.matchAll(/<@&(\d+)>/g)].map(([, id = ""]) => id),
    attachments: voice
      ? attachments.map((file) => ({ ...file, duration_secs: 2, waveform: "AAAA" }))
      : attachments,
    flags: voice ? 1 << 13 : 0,
    ...(replyTo === undefined
      ? {}
      : {
          type: 19,
          message_reference: { message_id: replyTo, channel_id: channel },
          referenced_message: answered ?? null,
        }),
    ...also,
  };
}

function shownOf(world: World, message: ApiMessage): Shown {
  const rows = message.components as readonly {
    readonly components: readonly { readonly label: string; readonly custom_id: string }[];
  }[];
  return {
    id: message.id,
    from: message.author.username,
    text: message.content,
    buttons: rows.map((row) => row.components.map(({ label, custom_id }) => ({ label, data: custom_id }))),
    files: message.attachments.map(({ filename, url }) => ({
      name: filename,
      bytes: world.files.get(new URL(url).pathname)?.bytes ?? new Uint8Array(),
    })),
    ...(message.message_reference === undefined ? {} : { replyTo: message.message_reference.message_id }),
    isEdited: message.edited_timestamp !== null,
  };
}
