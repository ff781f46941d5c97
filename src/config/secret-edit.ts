import { chmod } from "node:fs/promises";
import { parseDotEnv } from "./dotenv.ts";
import { editFile } from "./file-edit.ts";

/** Puts a secret into .env, which is for its owner alone from then on. Every other line stays. False: it was there already. */
export async function writeSecret(file: string, name: string, value: string): Promise<boolean> {
  // Before the write: a secret must never be in a file that others can read.
  await chmod(file, 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  return editFile(file, (before) => withSecret(before ?? "", name, value));
}

export function withSecret(text: string, name: string, value: string): string {
  const { values, lines } = parseDotEnv(text);
  if (values.get(name) === value) return text;
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const fresh = `${name}=${quoted(value)}`;
  const at = lines.get(name);
  if (at === undefined) return `${text}${text === "" || /[\r\n]$/.test(text) ? "" : eol}${fresh}${eol}`;
  const parts = text.split(/(\r\n|\n|\r)/);
  return parts.map((part, index) => (index === (at - 1) * 2 ? fresh : part)).join("");
}

function quoted(value: string): string {
  if (/^[\w./:@%+=,-]+$/.test(value)) return value;
  if (!/['\r\n]/.test(value)) return `'${value}'`;
  const escaped = value.replaceAll(/[\\"$]/g, (letter) => `\\${letter}`);
  return `"${escaped.replaceAll("\n", "\\n").replaceAll("\r", "\\r")}"`;
}
