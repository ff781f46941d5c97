/** The first line of a skill block; a message may begin with several blocks. */
const heading = /^\[skill ([a-z0-9-]{1,64}): (\d{1,7}) characters that the person asks you to follow\]\n/;

/** A skill as its slash command puts it into the message. */
export const skillBlock = (name: string, text: string): string =>
  `[skill ${name}: ${text.length} characters that the person asks you to follow]\n${text}\n[end of the skill ${name}]\n`;

/** Which skills a message brings, and the words of the person behind them. */
export function skillsOfInput(input: string): { readonly names: readonly string[]; readonly words: string } {
  const names: string[] = [];
  let rest = input;
  for (let found = heading.exec(rest); found !== null; found = heading.exec(rest)) {
    const [head, name = "", length = "0"] = found;
    // Counted and not searched for: a skill may have a line in it that looks like its end.
    const end = head.length + Number(length);
    const closing = `\n[end of the skill ${name}]\n`;
    if (!rest.startsWith(closing, end)) break;
    names.push(name);
    rest = rest.slice(end + closing.length).replace(/^\n/, "");
  }
  return { names, words: rest };
}

/** The message as the person typed it. */
export const typedInput = (input: string): string => {
  const { names, words } = skillsOfInput(input);
  return names.length === 0 ? input : words;
};
