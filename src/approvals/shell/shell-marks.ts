/**
 * A quoted character means itself, the same one unquoted may mean something else. So quoted ASCII travels shifted into
 * a private block of Unicode until a word is final. The block is taken out of the input first: nobody can forge a mark.
 */
const base = 0xe000;
const blockEnd = 0xe1ff;

/** Keeps `''` a word. */
const nothing = String.fromCharCode(base + 0x80);

/** Stands in a word for what is known only when the command runs. */
export const unknown = String.fromCharCode(base + 0x100);

/** Begins the name of a file that holds the output of `<( … )`; a number follows. */
export const fedFile = String.fromCharCode(base + 0x101);

/** Begins every item of a value that is several words, such as the list of a loop. */
const item = String.fromCharCode(base + 0x102);

export const several = (values: readonly string[]): string =>
  values.length > 1 ? values.map((value) => item + value).join("") : (values[0] ?? "");

/** The words of such a value; undefined for any other. */
export const severalOf = (value: string): readonly string[] | undefined =>
  value.startsWith(item) ? value.slice(1).split(item) : undefined;

export const withoutMarks = (text: string): string =>
  text.replace(/[\uE000-\uE1FF]/g, "\uFFFD").replaceAll("\0", "\uFFFD");

export function quote(text: string): string {
  let marked = "";
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    marked += code < 0x80 ? String.fromCharCode(base + code) : text.charAt(index);
  }
  return marked === "" ? nothing : marked;
}

/** Back to plain text; what is unknown stays marked. */
export function plain(marked: string): string {
  let text = "";
  for (let index = 0; index < marked.length; index++) {
    const code = marked.charCodeAt(index);
    if (code < base || code > blockEnd || code >= base + 0x100) text += marked.charAt(index);
    if (code >= base && code < base + 0x80) text += String.fromCharCode(code - base);
  }
  return text;
}
