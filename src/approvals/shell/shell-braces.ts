import { type Effort, spend } from "./shell-reader.ts";

/** More than anybody writes by hand; the rest would only cost time. */
const mostResults = 1024;

/** `a{b,c}d` as `abd acd`, `{1..3}` as `1 2 3`; quoted braces are marked and stay. */
export function expandBraces(word: string, effort: Effort): readonly string[] {
  if (!word.includes("{") || !spend(effort, word.length)) return [word];
  const group = firstGroup(word);
  if (group === undefined) return [word];
  const { start, end, items } = group;
  const tails = expandBraces(word.slice(end + 1), effort);
  const heads = items.flatMap((item) => expandBraces(item, effort));
  if (
    heads.length * tails.length > mostResults ||
    !spend(effort, heads.length * tails.length * word.length)
  ) {
    effort.cut = true;
    return [word];
  }
  return heads.flatMap((head) => tails.map((tail) => word.slice(0, start) + head + tail));
}

type BraceGroup = { readonly start: number; readonly end: number; readonly items: readonly string[] };

/** Of several open braces the first that is closed and holds a comma or a range counts. */
function firstGroup(word: string): BraceGroup | undefined {
  const open: { start: number; commas: number[] }[] = [];
  let found: BraceGroup | undefined;
  for (let index = 0; index < word.length; index++) {
    const char = word.charAt(index);
    if (char === "{") open.push({ start: index, commas: [] });
    if (char === ",") open.at(-1)?.commas.push(index);
    if (char !== "}") continue;
    const group = open.pop();
    if (group === undefined) continue;
    const items = itemsOf(word, group.start, index, group.commas);
    if (items !== undefined && (found === undefined || group.start < found.start)) {
      found = { start: group.start, end: index, items };
    }
    if (open.length === 0 && found !== undefined) return found;
  }
  return found;
}

function itemsOf(
  word: string,
  start: number,
  end: number,
  commas: readonly number[],
): readonly string[] | undefined {
  if (commas.length === 0) return range(word.slice(start + 1, end));
  const edges = [start, ...commas, end];
  return edges.slice(1).map((edge, index) => word.slice((edges[index] ?? start) + 1, edge));
}

function range(text: string): readonly string[] | undefined {
  const match = /^(-?\d{1,9}|[A-Za-z])\.\.(-?\d{1,9}|[A-Za-z])$/.exec(text);
  if (match === null) return undefined;
  const [, first = "", last = ""] = match;
  const isNumber = /\d/.test(first) && /\d/.test(last);
  const from = isNumber ? Number(first) : first.charCodeAt(0);
  const to = isNumber ? Number(last) : last.charCodeAt(0);
  const count = Math.min(Math.abs(to - from) + 1, mostResults);
  const step = to < from ? -1 : 1;
  return Array.from({ length: count }, (_, index) => {
    const value = from + index * step;
    return isNumber ? String(value) : String.fromCharCode(value);
  });
}
