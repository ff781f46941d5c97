import { quoted } from "../process/toml.ts";

/** What goes into the file. There is no null in TOML. */
export type Value = string | number | boolean | readonly Value[] | { readonly [name: string]: Value };

/** One value on one line. */
export function valueText(value: Value): string {
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number") return numberText(value);
  if (typeof value === "boolean") return String(value);
  if (isList(value)) return `[${value.map(valueText).join(", ")}]`;
  const fields = Object.entries(value).map(([name, field]) => `${keyText(name)} = ${valueText(field)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}

/** Numbers are seconds here, which codex keeps as floats. */
const numberText = (value: number): string => (Number.isInteger(value) ? value.toFixed(1) : String(value));

const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

export const keyText = (name: string): string => (/^[A-Za-z0-9_-]+$/.test(name) ? name : quoted(name));

/** `mcp_servers."my.files"` */
export const pathText = (path: readonly string[]): string => path.map(keyText).join(".");
