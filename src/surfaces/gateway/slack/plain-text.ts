/** What somebody has written, as they saw it: without Slack's marks for links, people and channels, and without the mention of the bot. */
export function plainText(text: string, bot: string): string {
  return withoutMention(text, bot)
    .replaceAll(/<([^<>\n]*)>/g, (_whole, inside: string) => plainMark(inside))
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .trim();
}

export const names = (text: string, bot: string): boolean => mentionOf(bot).test(text);

const mentionOf = (bot: string): RegExp => new RegExp(`<@${bot}(?:\\|[^<>]*)?>`);

/** At the beginning it is an address, and what follows it goes, too: `@bot: …`. */
function withoutMention(text: string, bot: string): string {
  const mention = mentionOf(bot).source;
  return text
    .replace(new RegExp(`^\\s*${mention}[:,]?\\s*`), "")
    .replaceAll(new RegExp(`[ \\t]*${mention}`, "g"), "");
}

/** `@U1|ann`, `#C1|general`, `!here`, `!date^…|yesterday`, `https://…|label`. */
function plainMark(inside: string): string {
  const [target = "", label] = split(inside);
  if (target.startsWith("@")) return label === undefined ? target : `@${withoutAt(label)}`;
  if (target.startsWith("#")) return label === undefined ? target : `#${label}`;
  if (target.startsWith("!")) return label ?? `@${target.slice(1).split("^")[0]}`;
  const address = target.replace(/^(?:mailto|tel):/, "");
  if (label === undefined || label === address || address.replace(/^https?:\/\//, "") === label)
    return address;
  return `${label} (${address})`;
}

const withoutAt = (label: string): string => label.replace(/^@/, "");

function split(inside: string): readonly [string, string?] {
  const bar = inside.indexOf("|");
  return bar === -1 ? [inside] : [inside.slice(0, bar), inside.slice(bar + 1)];
}
