import { fieldsOf, listOf, type Fields } from "../../../core/json.ts";

/** The words of a message as a person reads them: without the mention of the bot, others by their names, emoji by theirs. */
export function readableText(
  raw: Fields,
  { account, botRoles }: { readonly account: string; readonly botRoles: ReadonlySet<string> },
): string {
  const names = new Map(
    listOf(raw["mentions"]).map((one) => {
      const { id, global_name: shown, username } = fieldsOf(one);
      return [String(id), String(shown ?? username ?? id)];
    }),
  );
  const text = typeof raw["content"] === "string" ? raw["content"] : "";
  return text
    .replaceAll(/<@([!&]?)(\d{1,20})>([ \t]?)/g, (whole, mark: string, id: string, space: string) => {
      if (mark === "&") return botRoles.has(id) ? "" : whole;
      if (id === account) return "";
      const name = names.get(id);
      return name === undefined ? whole : `@${name}${space}`;
    })
    .replaceAll(/<a?:(\w{1,64}):\d{1,20}>/g, ":$1:")
    .trim();
}
