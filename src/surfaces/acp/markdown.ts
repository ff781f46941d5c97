/** Editors show what an agent says as Markdown: what is not meant as such goes into a code block. */
export function codeBlock(text: string, language = ""): string {
  const runs = text.match(/`{3,}/g) ?? [];
  const fence = "`".repeat(Math.max(2, ...runs.map(({ length }) => length)) + 1);
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}

/** Set apart from the answer: a quotation that says who speaks. */
export const quoted = (text: string): string => `talaria: ${text}`.replaceAll(/^/gm, "> ");
