import { decodeKittyPrintable, isKeyRelease, matchesKey } from "../toolkit.ts";

const names = [
  "enter",
  "escape",
  "up",
  "down",
  "left",
  "right",
  "tab",
  "shift+tab",
  "pageUp",
  "pageDown",
  "ctrl+u",
  "ctrl+d",
  "ctrl+c",
] as const;

export type KeyName = (typeof names)[number];

/** What one piece of the terminal's input means to a question. `data` is the piece itself. */
export type Pressed = { readonly data: string } & (
  | { readonly kind: "key"; readonly name: KeyName }
  /** What would be written. */
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "paste" }
  | { readonly kind: "release" }
  | { readonly kind: "other" }
);

export function pressed(data: string): Pressed {
  if (data.includes(pasteStart)) return { kind: "paste", data };
  if (isKeyRelease(data)) return { kind: "release", data };
  const name = names.find((key) => matchesKey(data, key));
  if (name !== undefined) return { kind: "key", name, data };
  const text = decodeKittyPrintable(data) ?? data;
  return text === "" || control.test(text) ? { kind: "other", data } : { kind: "text", text, data };
}

export const isKey = (key: Pressed, ...wanted: readonly KeyName[]): boolean =>
  key.kind === "key" && wanted.includes(key.name);

const pasteStart = "\u001B[200~";
const pasteEnd = "\u001B[201~";
// oxlint-disable-next-line no-control-regex
const control = /[\u0000-\u001F\u007F-\u009F]/;

/** What was pasted, on one line. */
export const pastedText = (data: string): string =>
  data.replaceAll(pasteStart, "").replaceAll(pasteEnd, "").replaceAll(/\s+/g, " ");

/** The same key data, as if this had been pasted. */
export const asPaste = (text: string): string => `${pasteStart}${text}${pasteEnd}`;
