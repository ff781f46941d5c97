import { extname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { InputPart } from "../../../core/messages.ts";
import { short } from "../../../core/plain-text.ts";
import { type NoPicture, type Picture, pictureEndings, readPicture } from "../../../lib/picture.ts";
import { atHome } from "./path-completion.ts";

/** Together, in base64: what one request can carry. */
const mostLetters = 50 * 1024 * 1024;

/**
 * The text as it was typed, and the pictures it points at. Other files stay words: the model reads them with its tools.
 * `problems`: pictures that cannot be sent, each with the reason.
 */
export async function mentionedPictures(
  text: string,
  cwd: string,
): Promise<{ readonly parts: readonly InputPart[]; readonly problems: readonly string[] }> {
  const pictures = new Map<string, Picture>();
  const problems: string[] = [];
  let letters = 0;
  for (const pointed of mentionWords(text)) {
    const { path, found } = await firstOf(pointed, cwd);
    if (found === undefined || pictures.has(path)) continue;
    if ("why" in found) {
      problems.push(...problemOf(pointed.word, path, found));
      continue;
    }
    letters += found.base64.length;
    if (letters > mostLetters) {
      problems.push(`${named(pointed.word)}: too many pictures for one message. ${wayOut("Send fewer")}`);
      break;
    }
    pictures.set(path, found);
  }
  const images = [...pictures.values()].map((picture) => ({ type: "image" as const, ...picture }));
  return { parts: [{ type: "text", text }, ...images], problems };
}

/** The first way to read the word under which there is something. */
async function firstOf(
  { paths }: MentionWord,
  cwd: string,
): Promise<{ readonly path: string; readonly found?: Picture | NoPicture }> {
  for (const written of paths) {
    const path = resolve(cwd, atHome(written));
    const found = await readPicture(path);
    if (!("why" in found) || found.why !== "missing") return { path, found };
  }
  return { path: "" };
}

function problemOf(word: string, path: string, { why, detail }: NoPicture): readonly string[] {
  if (why === "too_big") return [`${named(word)} is larger than 20 MiB. ${wayOut("Scale it down first")}`];
  const looksLikeOne = pictureEndings.some((ending) => ending === extname(path).toLowerCase());
  if (why !== "unreadable" || !looksLikeOne) return [];
  return [`${named(word)} cannot be read: ${short(detail, 200)}. ${wayOut("Change that")}`];
}

const named = (word: string): string => short(word, 100);
const wayOut = (first: string): string => `${first}, or write it in backticks to send only its name.`;

/** A word that may name a file. `paths`: how it can be read, most literal first. */
type MentionWord = { readonly word: string; readonly paths: readonly string[] };

/** More than this is a file listing, not files that somebody points at. */
const mostWords = 2_000;
const longest = 4_096;

/**
 * The words that point at a file: `@path`, `@"a path"`, and what terminals insert when a file is dropped on them: an
 * absolute path, with its spaces escaped or in quotes, or a `file://` address. In backticks it is only a name.
 */
export function mentionWords(text: string): readonly MentionWord[] {
  const found = new Map<string, MentionWord>();
  for (const [word, double, single, bare = ""] of text.matchAll(pointing)) {
    if (found.size >= mostWords) break;
    const paths = readings(double ?? single ?? bare, double !== undefined || single !== undefined);
    const usable = paths.filter((path) => path !== "" && path.length <= longest && !path.includes("\0"));
    if (usable.length > 0) found.set(word, { word, paths: usable });
  }
  return [...found.values()];
}

const pointing =
  /(?<![^\s([{（，。、：；！？「『])(?:@|(?=["']?(?:\/|~\/|file:\/\/)))(?:"([^"\n]+)"|'([^'\n]+)'|((?:\\.|[^\s\\"'])(?:\\.|[^\s\\])*))/gu;

/** A word without quotes may have its spaces escaped, and the end of a sentence behind it. */
function readings(written: string, quoted: boolean): readonly string[] {
  if (written.startsWith("file://")) return address(written);
  if (quoted) return [written];
  const plain = written.replaceAll(/\\(.)/gu, "$1");
  const all = [written, plain];
  return [...new Set([...all, ...all.map((path) => path.replace(/[.,;:!?)\]}]+$/, ""))])];
}

function address(text: string): readonly string[] {
  try {
    return [fileURLToPath(text)];
  } catch {
    return [];
  }
}
