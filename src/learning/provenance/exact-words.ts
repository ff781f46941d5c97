import { folded } from "./words.ts";

/**
 * What has to be said in exactly these letters, because another one would be something else: addresses, paths, commands
 * and their options, code, names with digits or signs in them, numbers.
 */
export function exactWords(text: string): readonly string[] {
  const whole = folded(text);
  const code = [...whole.matchAll(/```[^\n]*\n([^]*?)(?:```|$)|`([^`\n]+)`|^\s*\$ (.+)$/gm)];
  const quoted = code.flatMap(([, block, inline, command]) => (block ?? inline ?? command ?? "").split("\n"));
  const tokens = whole.split(/[\s`]+/u).map(bare);
  return [...new Set([...quoted.map((line) => line.trim()), ...tokens.filter(isExact)])].filter(
    (one) => one !== "",
  );
}

/** Without the punctuation of the sentence and the quotation marks around it. */
const bare = (token: string): string =>
  token
    .replace(/^[\s"'“”„«»‘’([{<*,;:!?。，、；：！？（）「」『』…]+/u, "")
    .replace(/[\s"'“”„«»‘’)\]}>*,;:!?.。，、；：！？（）「」『』…]+$/u, "");

const isExact = (token: string): boolean =>
  /[/\\@=$|<>{}&;#%~^_*+]/.test(token) ||
  /^-{1,2}\p{L}/u.test(token) ||
  /[\p{L}\p{N}][.:][\p{L}\p{N}]/u.test(token) ||
  /\(\)|\[\]/.test(token) ||
  /\p{Nd}/u.test(token);

const numberWords = new Map(
  [
    ["0", "zero null ноль"],
    ["1", "one a an single ein eine einen eins один одну одна 一"],
    ["2", "two twice zwei два две 二 两"],
    ["3", "three drei три 三"],
    ["4", "four vier четыре 四"],
    ["5", "five fünf пять 五"],
    ["6", "six sechs шесть 六"],
    ["7", "seven sieben семь 七"],
    ["8", "eight acht восемь 八"],
    ["9", "nine neun девять 九"],
    ["10", "ten zehn десять 十"],
    ["12", "twelve zwölf двенадцать 十二"],
  ].map(([digits = "", words = ""]) => [digits, words.split(" ")] as const),
);

/** Does the person say exactly this, and not only as a part of something longer? */
export function saysExactly(person: string, word: string): boolean {
  const forms = [word, ...(numberWords.get(word) ?? [])];
  return forms.some((form) => standsIn(person, form));
}

function standsIn(person: string, word: string): boolean {
  for (let at = person.indexOf(word); at !== -1; at = person.indexOf(word, at + 1)) {
    const [before, after] = [
      person.slice(Math.max(0, at - 1), at),
      person.slice(at + word.length, at + word.length + 2),
    ];
    if (!joins(before, word.slice(0, 1), "left") && !joins(after, word.slice(-1), "right")) return true;
  }
  return false;
}

const letter = /[\p{L}\p{M}\p{N}_]/u;
const noSpaces = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

/** Does the text beside a word make it a longer one? */
function joins(beside: string, edge: string, side: "left" | "right"): boolean {
  const near = side === "left" ? beside.slice(-1) : beside.slice(0, 1);
  if (near === "" || noSpaces.test(near)) return false;
  if (letter.test(near)) return letter.test(edge) || side === "left";
  if (side === "left") return /[/\\.@~$-]/.test(near) && near !== edge;
  // A full stop ends a sentence, or goes on as part of a name.
  return (
    /[/\\@=&?#%:.-]/.test(near) &&
    (beside.length > 1 ? /[\p{L}\p{N}/~]/u.test(beside.slice(1)) : /[/\\@=]/.test(near))
  );
}
