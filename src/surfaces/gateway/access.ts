import { randomInt } from "node:crypto";
import type { ChatMessage, ChatPress } from "../../core/gateway/chat.ts";
import { chatName } from "../../core/gateway/chat.ts";
import type { ChatKey, PeopleTable, StoredPerson } from "../../core/gateway/tables.ts";
import type { Clock } from "../../lib/clock.ts";
import { hashOf } from "../../lib/secret.ts";

const codeLength = 8;
const codeMs = 60 * 60_000;
/** So many hear, once each, that too many wait. */
const mostTurnedAway = 100;
/** Without those that are taken for each other. */
const letters = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/**
 * A person's own row counts first, also when it says that they were put out; whoever has none has that of the group, which never makes
 * anybody an owner.
 */
export async function roleOf(
  people: Pick<PeopleTable, "get">,
  { from, address }: Pick<ChatMessage | ChatPress, "from" | "address">,
): Promise<StoredPerson["role"] | undefined> {
  if (from.isBot) return undefined;
  const own = await people.get(address.surface, from.id);
  if (own !== undefined) return own.revokedAt === undefined ? own.role : undefined;
  const group = await people.get(address.surface, address.chat);
  if (group?.revokedAt !== undefined) return undefined;
  return group?.role === "owner" ? "member" : group?.role;
}

/**
 * What somebody hears who was never let in and writes to the bot directly: a code that the owner can confirm at the machine.
 * `undefined`: nothing, so that nobody can make the bot talk. `turnedAway`: who has heard that too many wait.
 */
export async function pairingText(
  people: Pick<PeopleTable, "ask">,
  { from, address }: ChatMessage,
  clock: Clock,
  turnedAway: Set<string>,
): Promise<string | undefined> {
  const code = newCode();
  const { surface, account } = address;
  const chat: ChatKey = { surface, account, chat: chatName(address) };
  const now = clock.now();
  const request = { surface, id: from.id, name: from.name, chat, askedAt: now, expiresAt: now + codeMs };
  const answer = await people.ask(request, hashOf(code));
  if (answer === "many" && !turnedAway.has(from.id) && turnedAway.size < mostTurnedAway) {
    turnedAway.add(from.id);
    return "Too many people are waiting to be let in. Ask the owner to look at `talaria gateway people`, and write again later.";
  }
  if (answer !== "asked") return undefined;
  return [
    `I don't know you yet. If you know the owner of this bot, ask them to run this on its machine within the hour:`,
    "",
    `\`talaria gateway pair ${code}\``,
    "",
    `You are \`${surface}:${from.id}\`.`,
  ].join("\n");
}

const newCode = (): string =>
  Array.from({ length: codeLength }, () => letters[randomInt(letters.length)]).join("");
