import { maskPatterns } from "../../lib/redact/secret-patterns.ts";
import { signs } from "./signs.ts";

/**
 * Why a text looks like one that wants to steer the agent, or like something that must not be kept; `undefined`: it does
 * not. No proof of innocence: it decides only what waits for a person, and what is left out of a prompt.
 */
export function scan(text: string): string | undefined {
  if (unseen.test(text)) return "it has characters in it that nobody can see";
  if (maskPatterns(text, "\u0000") !== text)
    return "it has something in it that looks like a key or a password";
  const plain = folded(text);
  const joined = plain.replaceAll(/(?<=[^\n]) ?\n ?(?=\p{L})/gu, " ");
  return signs.find(({ patterns }) => patterns.some((one) => one.test(plain) || one.test(joined)))?.why;
}

/** Zero width, direction and tag characters. The joiners of emojis and of Indic and Persian words are seen by what they do. */
const unseen = new RegExp(
  [
    "[\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180E\\u200B\\u200E\\u200F\\u202A-\\u202E]",
    "[\\u2060-\\u206F\\u3164\\uFFA0\\u{E0000}-\\u{E0FFF}]",
    "[\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\u007F-\\u009F]",
    "(?<![\\p{L}\\p{M}\\p{Extended_Pictographic}\\uFE0F])[\\u200C\\u200D]",
    "[a-z][\\u200C\\u200D]",
    ".\\uFEFF",
  ].join("|"),
  "iu",
);

/** Other spellings of the same letters, accents and marks of emphasis hide nothing. */
const folded = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFD")
    .replaceAll(/(?<=[a-z])\p{Mn}+/gu, "")
    .normalize("NFC")
    .replaceAll(/\p{L}+/gu, (word) => (/[a-z]/.test(word) ? inLatin(word) : word))
    .replaceAll(/[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}/g, "")
    .replaceAll(/[ \t\u00A0]+/g, " ");

const inLatin = (word: string): string =>
  [...word].map((letter) => lookAlikes.get(letter) ?? letter).join("");

/** Letters of other scripts, and the Latin ones that they look like. */
const [others, latin] = ["аеорсухѕіјһԁкмтвнοαενρικτɡı", "aeopcyxsijhdkmtbhoaevpiktgi"];
const lookAlikes: ReadonlyMap<string, string> = new Map(
  [...others].map((letter, at) => [letter, latin[at] ?? letter]),
);
