import { jsonObject, textOf } from "../wire.ts";
import type { Conversation } from "./conversation.ts";

/**
 * Small jobs beside a conversation, known by the JSON that is wanted, or by their first words. A title is the person's
 * first words; a judgement is never in favour, and a look back finds nothing, because this model understands nothing.
 * Undefined: it is none of them.
 */
export function choreReply(text: string, { wanted = [] }: Conversation): string | undefined {
  if (wanted.join() === "title") return JSON.stringify({ title: firstWords(text) });
  if (wanted.toSorted().join() === "risk,why")
    return JSON.stringify({ risk: "other", why: "The demo model cannot judge." });
  if (text.startsWith("[Talaria, not the person: this is a look back")) return "NOTHING";
  return undefined;
}

const mostWords = 6;

function firstWords(text: string): string {
  const words = textOf(jsonObject(text)?.["user"]).match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’.-]*/gu) ?? [];
  return words.length === 0 ? "A conversation" : words.slice(0, mostWords).join(" ").replace(/\.$/, "");
}
