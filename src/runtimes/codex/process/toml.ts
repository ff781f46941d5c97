export type TomlValue =
  | string
  | number
  | boolean
  | readonly TomlValue[]
  | { readonly [name: string]: TomlValue };

/** One value as codex's `-c key=value` reads it: TOML on one line, every name and text quoted. */
export function toml(value: TomlValue): string {
  if (typeof value === "string") return quoted(value);
  if (typeof value !== "object") return String(value);
  if (isList(value)) return `[${value.map(toml).join(",")}]`;
  const fields = Object.entries(value).map(([name, field]) => `${quoted(name)}=${toml(field)}`);
  return `{${fields.join(",")}}`;
}

const isList = (value: TomlValue): value is readonly TomlValue[] => Array.isArray(value);

/** JSON's escapes are TOML's, but TOML knows no half characters and wants DEL escaped too. */
export const quoted = (text: string): string =>
  JSON.stringify(text.toWellFormed()).replaceAll("\u007F", String.raw`\u007f`);
