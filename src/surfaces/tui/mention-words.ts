import { fileURLToPath } from "node:url";

/** A word that may name a file. `paths`: how it can be read, most literal first. */
export type MentionWord = { readonly word: string; readonly paths: readonly string[] };

/** More of them are a listing, and not what somebody points at. */
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
