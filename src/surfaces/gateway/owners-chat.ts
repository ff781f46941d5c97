import { type Platform, platforms } from "../../core/gateway/chat.ts";
import type { ChatKey } from "../../core/gateway/tables.ts";
import type { BotParts } from "./bot-parts.ts";

type Needs = Pick<BotParts, "gateway" | "adapterOf">;

/** Where the owner is asked and told: where the settings say, or where they last wrote directly. `not`: a platform that is out of order. */
export async function ownersChat(
  { gateway, adapterOf }: Needs,
  not?: Platform,
): Promise<ChatKey | undefined> {
  const people = await gateway.people.list();
  const owners = people.filter(
    ({ role, revokedAt, surface }) => role === "owner" && revokedAt === undefined && surface !== not,
  );
  const [surface, id] = splitTarget(gateway.settings.notify);
  const named = owners.find((person) => person.surface === surface && person.id === id);
  const reached = [...(named === undefined ? [] : [named]), ...owners];
  return reached
    .map(({ direct }) => direct)
    .find((chat) => chat !== undefined && adapterOf(chat.surface) !== undefined);
}

function splitTarget(target: string | undefined): readonly [Platform | undefined, string] {
  const [surface = "", id = ""] = (target ?? "").split(/:(.*)/s);
  return [platforms.find((platform) => platform === surface), id];
}
