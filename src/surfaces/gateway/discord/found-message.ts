import type { Address, Sending } from "../../../core/gateway/chat.ts";
import { fieldsOf, listOf, type Fields } from "../../../core/json.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Calls } from "./calls.ts";
import { inOrder, pageSize } from "./history.ts";
import { payloadOf } from "./render.ts";
import { isSnowflake, timeOf } from "./snowflake.ts";

/** What is known of sends whose end nobody heard. */
export type SentTrace = {
  /** A part is about to be posted. */
  tried(nonce: string): void;
  /** The gateway tells the bot of its own messages, and there their nonces are. */
  heard(raw: unknown): void;
  find(to: Address, sending: Sending, signal: AbortSignal): Promise<Found>;
};
export type Found = { readonly sent: string } | { readonly absent: true } | undefined;

const remembered = 1_000;
/** How far our clock may be from Discord's. */
const skewMs = 60 * 60_000;

/**
 * Discord keeps no nonce: it is in the answer and in the gateway's event, and in no message that is read later. So what the event did not
 * tell is looked for by its words.
 */
export function makeSentTrace(deps: {
  readonly calls: Calls;
  readonly clock: Clock;
  account(): string;
}): SentTrace {
  const triedAt = new Map<string, number>();
  const heard = new Map<string, string>();
  return {
    tried(nonce) {
      if (!triedAt.has(nonce)) triedAt.set(nonce, deps.clock.now());
      forgetOldest(triedAt);
    },
    heard(raw) {
      const { id, nonce, author } = fieldsOf(raw);
      if (!isSnowflake(id) || nonce === undefined || fieldsOf(author)["id"] !== deps.account()) return;
      heard.set(String(nonce), id);
      forgetOldest(heard);
    },
    async find(to, sending, signal) {
      const known = heard.get(sending.nonce);
      if (known !== undefined) return { sent: known };
      const query = { limit: String(pageSize) };
      const called = await deps.calls(
        { method: "GET", route: `/channels/${to.chat}/messages`, query },
        signal,
      );
      if ("problem" in called) return undefined;
      const since = sending.since ?? triedAt.get(sending.nonce);
      return lookedUp(inOrder(called.answer).map(fieldsOf), sending, deps.account(), since);
    },
  };
}

/** `messages`: the latest, oldest first. `since`: when it was first tried. */
function lookedUp(
  messages: readonly Fields[],
  sending: Sending,
  account: string,
  since: number | undefined,
): Found {
  const floor = since === undefined ? 0 : since - skewMs;
  const match = messages.findLast(
    (one) => timeOf(String(one["id"])) >= floor && isSame(one, sending, account),
  );
  if (match !== undefined) return { sent: String(match["id"]) };
  const [oldest] = messages;
  const isAll = messages.length < pageSize || oldest === undefined;
  const reachesBack = isAll || (since !== undefined && timeOf(String(oldest["id"])) < floor);
  return reachesBack ? { absent: true } : undefined;
}

function isSame(raw: Fields, { part, replyTo, nonce }: Sending, account: string): boolean {
  if (fieldsOf(raw["author"])["id"] !== account) return false;
  if (raw["nonce"] !== undefined) return String(raw["nonce"]) === nonce;
  const answered = fieldsOf(raw["message_reference"])["message_id"];
  if (answered !== undefined && answered !== replyTo) return false;
  const files = listOf(raw["attachments"]).length;
  if (files > 0 !== (part.file !== undefined)) return false;
  return letters(raw["content"]) === letters(payloadOf(part)["content"]);
}

/** Discord takes blanks and signs that nobody sees out of a message as it likes. */
const letters = (text: unknown): string =>
  String(text)
    .normalize()
    .replaceAll(/[\s\p{C}]/gu, "");

function forgetOldest(map: Map<string, unknown>): void {
  if (map.size <= remembered) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
