import { fieldsOf, listOf } from "../../../core/json.ts";
import { isSnowflake } from "./snowflake.ts";

/** A channel: a direct one, or one of a server; a thread is a channel of its own. */
export type Place = { readonly room: "direct" | "group"; readonly name?: string };

/** Which channels there are, and which roles stand for the bot, learned from what the gateway tells. */
export type Places = {
  get(channel: string): Place | undefined;
  /** Discord makes a role of the bot's own name; people take it for the bot. */
  readonly botRoles: ReadonlySet<string>;
  learn(type: string, data: unknown): void;
  /** From a channel as the API describes it. */
  add(channel: unknown, guild?: string): Place | undefined;
};

const directTypes = new Set([1, 3]);

export function makePlaces(bot: () => string): Places {
  const known = new Map<string, Place>();
  const guilds = new Map<string, string>();
  const botRoles = new Set<string>();

  const add = (channel: unknown, guild?: string): Place | undefined => {
    const { id, type, name, guild_id: guildId } = fieldsOf(channel);
    if (!isSnowflake(id) || typeof type !== "number") return undefined;
    const server = guilds.get(guild ?? String(guildId));
    const place: Place = directTypes.has(type)
      ? { room: "direct" }
      : {
          room: "group",
          ...(typeof name === "string" ? { name: [server, `#${name}`].filter(Boolean).join(" ") } : {}),
        };
    known.set(id, place);
    return place;
  };
  const addGuild = (data: unknown): void => {
    const { id, name, channels, threads, roles } = fieldsOf(data);
    if (!isSnowflake(id)) return;
    if (typeof name === "string") guilds.set(id, name);
    for (const channel of [...listOf(channels), ...listOf(threads)]) add(channel, id);
    for (const role of listOf(roles)) {
      const { id: roleId, tags } = fieldsOf(role);
      if (isSnowflake(roleId) && fieldsOf(tags)["bot_id"] === bot()) botRoles.add(roleId);
    }
  };

  return {
    get: (channel) => known.get(channel),
    botRoles,
    add,
    learn(type, data) {
      if (type === "GUILD_CREATE" || type === "GUILD_UPDATE") return addGuild(data);
      if (/^(?:CHANNEL|THREAD)_(?:CREATE|UPDATE)$/.test(type)) add(data);
    },
  };
}
