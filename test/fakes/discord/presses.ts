import type { Gateway } from "./gateway.ts";
import { problem, type Answer } from "./posting.ts";
import { eventOf, type ApiUser, type World } from "./world.ts";

/** A button that somebody has pressed. */
export type Pressed = {
  readonly id: string;
  /** When the platform heard of it, which it must within 3 s. */
  readonly deferred: Promise<void>;
  /** What the person alone was told. */
  readonly whispers: string[];
  /** Resolves with the next whisper. */
  whisper(): Promise<string>;
};

export type Presses = {
  press(channel: string, messageId: string, data: string, from: ApiUser, type?: number): Pressed;
  answered(id: string, body: unknown): Answer;
  followed(key: string, body: unknown): Answer;
};

type Open = Pressed & {
  readonly key: string;
  readonly at: number;
  isDeferred: boolean;
  readonly defer: () => void;
  readonly listeners: ((text: string) => void)[];
};

const answerMs = 3_000;
const keyMs = 15 * 60_000;

export function makePresses(world: World, gateway: () => Gateway): Presses {
  const open = new Map<string, Open>();
  return {
    press(channel, messageId, data, from, type = 3) {
      const id = world.snowflake();
      const { promise, resolve } = Promise.withResolvers<void>();
      const listeners: Open["listeners"] = [];
      const whispers: string[] = [];
      const whisper = (): Promise<string> => new Promise((heard) => listeners.push(heard));
      const key = `key-${id}`;
      const one = { id, deferred: promise, whispers, whisper };
      open.set(id, { ...one, key, at: world.now(), defer: resolve, isDeferred: false, listeners });
      gateway().dispatch(
        "INTERACTION_CREATE",
        interaction(world, { id, key, channel, messageId, data, from, type }),
      );
      return one;
    },
    answered(id, body) {
      const one = open.get(id);
      if (one === undefined || world.now() - one.at > answerMs)
        return problem(404, 10062, "Unknown interaction");
      if (one.isDeferred) return problem(400, 40060, "Interaction has already been acknowledged.");
      if ((body as { readonly type?: number }).type !== 6)
        return problem(400, 50035, "Invalid Form Body: type");
      one.isDeferred = true;
      one.defer();
      return { status: 204 };
    },
    followed(key, body) {
      const one = [...open.values()].find((candidate) => candidate.key === key);
      if (one === undefined || world.now() - one.at > keyMs)
        return problem(401, 50027, "Invalid Webhook Token");
      if (!one.isDeferred) return problem(404, 10015, "Unknown Webhook");
      const { content = "", flags = 0 } = body as { readonly content?: string; readonly flags?: number };
      if ([...content].length > 2000 || content.trim() === "")
        return problem(400, 50035, "Invalid Form Body");
      if ((flags & 64) === 0) return problem(400, 50035, "the fake wants whispers only");
      one.whispers.push(content);
      for (const heard of one.listeners.splice(0)) heard(content);
      return { status: 200, body: { id: world.snowflake() } };
    },
  };
}

function interaction(
  world: World,
  {
    id,
    key,
    channel,
    messageId,
    data,
    from,
    type,
  }: {
    readonly id: string;
    readonly key: string;
    readonly channel: string;
    readonly messageId: string;
    readonly data: string;
    readonly from: ApiUser;
    readonly type: number;
  },
): unknown {
  const place = world.channels.get(channel);
  const message = world.find(channel, messageId);
  const who =
    place?.guild_id === undefined
      ? { user: from }
      : { guild_id: place.guild_id, member: { user: from, nick: null, roles: [], permissions: "0" } };
  return {
    id,
    application_id: world.bot.id,
    type,
    token: key,
    version: 1,
    channel_id: channel,
    channel: place,
    ...who,
    data: { custom_id: data, component_type: 2 },
    ...(message === undefined ? {} : { message: eventOf(world, message) }),
    entitlements: [],
    locale: "en-US",
    authorizing_integration_owners: {},
    app_permissions: "0",
    attachment_size_limit: 10 * 1024 * 1024,
  };
}
