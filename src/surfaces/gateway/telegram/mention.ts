import { type Fields, fieldsOf, listOf } from "../../../core/json.ts";
import { bot, integer, text, type TelegramBot } from "./wire.ts";

/** The words of a message without the bot's name, and whether it was named. A command that names no bot is for every bot that gets it. */
export function meant(
  message: Fields,
  self: TelegramBot,
): { readonly text: string; readonly isNamed: boolean } {
  const words = text(message["text"]) ?? text(message["caption"]) ?? emojiOf(message);
  const entities = listOf(message["entities"] ?? message["caption_entities"]).map(fieldsOf);
  const found = entities.flatMap((entity) => nameIn(words, entity, self));
  const isCommand = entities.some(
    (entity) =>
      entity["type"] === "bot_command" && entity["offset"] === 0 && !wordsOf(words, entity).includes("@"),
  );
  return { text: withoutNames(words, found), isNamed: isCommand || found.length > 0 };
}

/** All that there is to say of a sticker that moves. */
const emojiOf = (message: Fields): string => text(fieldsOf(message["sticker"])["emoji"]) ?? "";

type Stretch = { readonly start: number; readonly end: number };

const wordsOf = (words: string, { offset, length }: Fields): string =>
  words.slice(integer(offset) ?? 0, (integer(offset) ?? 0) + (integer(length) ?? 0));

/** Where the entity names the bot. */
function nameIn(words: string, entity: Fields, self: TelegramBot): readonly Stretch[] {
  const start = integer(entity["offset"]) ?? 0;
  const said = wordsOf(words, entity);
  const name = `@${self.username}`.toLowerCase();
  const stretch = { start, end: start + said.length };
  switch (entity["type"]) {
    case "mention":
      return said.toLowerCase() === name ? [stretch] : [];
    case "text_mention":
      return bot(entity["user"]) === self.id ? [stretch] : [];
    case "bot_command":
      return said.toLowerCase().endsWith(name) ? [{ ...stretch, start: stretch.end - name.length }] : [];
    default:
      return [];
  }
}

/** `@bot, do it` is `do it`. */
function withoutNames(words: string, names: readonly Stretch[]): string {
  let rest = words;
  for (const { start, end } of names.toSorted((a, b) => b.start - a.start)) {
    const isCommand = /\/\w+$/.test(rest.slice(0, start));
    const before = rest.slice(0, start);
    const behind = rest.slice(end);
    if (before.trim() === "") rest = behind.replace(/^\s*[,:]?\s*/, "");
    if (before.trim() !== "")
      rest = isCommand ? before + behind : `${before.trimEnd()} ${behind.trimStart()}`;
  }
  return rest.trim();
}
