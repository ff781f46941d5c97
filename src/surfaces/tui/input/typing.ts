import { isKeyRelease } from "../toolkit.ts";

const pasteStart = "\u001B[200~";
const pasteEnd = "\u001B[201~";

/**
 * What a person typed or pasted, without anything that could steer a terminal: escape sequences, control and bidi
 * characters are left out, tabs become spaces, line ends become `\n`.
 */
export const typed = (text: string): string =>
  text
    .replaceAll(reencoded, (_, code: string) => String.fromCharCode(Number(code) - 96))
    .replaceAll(escapes, "")
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll("\t", "    ")
    .replaceAll(steering, "");

/** One piece of terminal input as an editor may have it. `undefined`: nothing in it is for an editor. */
export function keysOf(data: string): string | undefined {
  if (data.startsWith(pasteStart)) {
    const end = data.endsWith(pasteEnd) ? pasteEnd : "";
    return `${pasteStart}${typed(data.slice(pasteStart.length, data.length - end.length))}${end}`;
  }
  if (isKeyRelease(data)) return undefined;
  const code = data.length === 1 ? data.charCodeAt(0) : Number(keyCode.exec(data)?.[1] ?? 0);
  if (isSteering(code)) return undefined;
  if (data.length === 1 || data.startsWith("\u001B")) return data;
  // Several characters at once, one of them a line end or the like, are not typed: a terminal without bracketed paste.
  return [...data].some((each) => each < " ")
    ? `${pasteStart}${typed(data)}${pasteEnd}`
    : typed(data) || undefined;
}

/** Is this, as `keysOf` gives it, text that somebody may have written elsewhere? A name or a path is not. */
export const isLongPaste = (key: string): boolean =>
  key.startsWith(pasteStart) && key.split(/\s+/).length > fewWords;

const fewWords = 3;

// oxlint-disable no-control-regex -- these characters are what it is about
/** Ctrl+I, J and M, as which tmux hands over tabs and line ends inside a paste. */
const reencoded = /\u001B\[(105|106|109);5u/g;
const escapes = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[@-Z\\^_])/g;
const steering = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;
/** A key as a code point: `CSI 97;5u`, or `CSI 27;5;97~`. */
const keyCode = /^\u001B\[(?:27;\d+;)?(\d+)(?:[:;][\d:;]*)?[u~]$/;
// oxlint-enable no-control-regex

/** Below 128 the code points are keys, such as Enter and Backspace. */
const isSteering = (code: number): boolean =>
  code > 0x7f && code <= 0x10_ffff && typed(String.fromCodePoint(code)) === "";
