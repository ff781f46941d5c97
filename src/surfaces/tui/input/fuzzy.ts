/** The best `limit` of the items for what a person typed, best first. Nothing typed: the first ones as they are. */
export function bestOf<T>(
  query: string,
  items: readonly T[],
  textOf: (item: T) => string,
  limit = Infinity,
): readonly T[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return items.slice(0, limit);
  const found: { readonly item: T; readonly score: number }[] = [];
  for (const item of items) {
    const score = scoreOf(words, textOf(item).toLowerCase());
    if (score !== undefined) found.push({ item, score });
  }
  return found
    .toSorted((a, b) => a.score - b.score)
    .slice(0, limit)
    .map(({ item }) => item);
}

/** Lower is better. `undefined`: one of the words is not in it. */
function scoreOf(words: readonly string[], text: string): number | undefined {
  let sum = text.length / 100;
  for (const word of words) {
    const score = wordScore(word, text);
    if (score === undefined) return undefined;
    sum += score;
  }
  return sum;
}

/** As one piece at the start of a name, as one piece inside it, or only its letters in order. */
function wordScore(word: string, text: string): number | undefined {
  if (text.startsWith(word)) return 0;
  const at = text.lastIndexOf(word);
  if (at > 0) return inLastName(at, text) + (separators.includes(text.charAt(at - 1)) ? 1 : 4);
  const gaps = lettersApart(word, text);
  return gaps === undefined ? undefined : 100 + gaps;
}

const separators = " /\\-_.:,()[]";

/** In a path, the last name is what people remember. */
const inLastName = (at: number, text: string): number =>
  at > text.lastIndexOf("/", text.length - 2) ? 0 : 10;

/** From the end, so that letters of the last name are taken first. */
function lettersApart(word: string, text: string): number | undefined {
  let end = text.length;
  let last = -1;
  for (let at = word.length - 1; at >= 0; at--) {
    end = end === 0 ? -1 : text.lastIndexOf(word.charAt(at), end - 1);
    if (end < 0) return undefined;
    if (last < 0) last = end;
  }
  return last - end + 1 - word.length;
}
