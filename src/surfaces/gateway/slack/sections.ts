/** Longest text of a section. */
export const sectionLimit = 3000;
const fence = "```";

/** A text in Slack's markup as sections, cut between lines where that is possible. A block of code goes on in the next one. */
export function sectionsOf(text: string): readonly string[] {
  const sections: string[] = [];
  let rest = text;
  while (rest.length > sectionLimit) {
    const end = cutOf(rest, sectionLimit - fence.length - 1);
    const part = rest.slice(0, end);
    const isCode = isOpen(part);
    sections.push(isCode ? `${part}\n${fence}` : part);
    const after = rest.slice(end).replace(/^\n/, "");
    rest = isCode ? `${fence}\n${after}` : after;
  }
  return rest.trim() === "" && sections.length > 0 ? sections : [...sections, rest];
}

/** Never within an entity, a pair of code units, or the opening of a block. */
function cutOf(text: string, most: number): number {
  const window = text.slice(0, most);
  const line = window.lastIndexOf("\n");
  if (line > most / 2) return line;
  const word = window.search(/[ \t][^ \t]*$/);
  if (word > most / 2) return word;
  const entity = window.search(/&[a-z]{0,3}$/);
  const end = entity === -1 ? most : entity;
  return /[\uD800-\uDBFF]$/.test(text.slice(0, end)) ? end - 1 : end;
}

const isOpen = (text: string): boolean => text.split(fence).length % 2 === 0;
