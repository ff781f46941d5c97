/** Makes one line fit to be shown. */
export type Spell = (line: string) => string;

/** What is always one line, whatever is in it. */
export const field = (label: string, text: string, spell: Spell): string => `${label}: ${spell(text)}`;

/**
 * A text line by line under its label. Only lines of the text stand this far in, so that nothing in it can pass for a
 * label.
 */
export function block(label: string, text: string, spell: Spell): readonly string[] {
  const lines = (part: string): string[] => part.split("\n").map((line) => `    ${spell(line)}`);
  const { head, tail } = ends(text);
  if (tail === undefined) return [`${label}:`, ...lines(head)];
  const left = text.slice(head.length, text.length - tail.length);
  const count = left.replaceAll(/^\n|\n$/g, "").split("\n").length;
  const words = `${left.length} characters in ${count} ${count === 1 ? "line" : "lines"}`;
  return [`${label}:`, ...lines(head), `  [${words} left out]`, ...lines(tail)];
}

const mostCharacters = 4000;
const mostLines = 40;

/** Without a tail: the head is the whole. */
function ends(text: string): { readonly head: string; readonly tail?: string } {
  const lines = text.split("\n");
  if (text.length <= mostCharacters && lines.length <= mostLines) return { head: text };
  const head = lines
    .slice(0, mostLines / 2)
    .join("\n")
    .slice(0, mostCharacters / 2);
  const tail = lines
    .slice(-mostLines / 2)
    .join("\n")
    .slice(-mostCharacters / 2);
  return { head, tail };
}
