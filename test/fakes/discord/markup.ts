/** One letter as Discord's app shows it. `styles`: in the order of their names. */
export type Letter = { readonly letter: string; readonly styles: string; readonly href?: string };

/** What a message means to Discord's app: its letters, and whom or what it names. */
export type Reading = { readonly letters: readonly Letter[]; readonly named: readonly string[] };

type State = { readonly letters: Letter[]; readonly named: string[] };
type Around = { readonly styles: readonly string[]; readonly href?: string; readonly isLineStart: boolean };
/** Gives how much of the text it has read; 0: it is none of its. */
type Rule = (source: string, around: Around, state: State) => number;

/** Reads a message by the rules of Discord's app, in their order. */
export function readMarkup(source: string): Reading {
  const state: State = { letters: [], named: [] };
  read(source, { styles: [], isLineStart: true }, state);
  return state;
}

function read(source: string, around: Around, state: State): void {
  let { isLineStart } = around;
  for (let at = 0; at < source.length;) {
    const rest = source.slice(at);
    const length = rules.reduce((found, rule) => found || rule(rest, { ...around, isLineStart }, state), 0);
    const step = length || 1;
    if (length === 0) show(state, rest[0] ?? "", around);
    isLineStart =
      /(?:^|\n)[ \t]*$/.test(source.slice(0, at + step)) || (isLineStart && /^[ \t]$/.test(rest[0] ?? ""));
    at += step;
  }
}

function show(state: State, text: string, { styles, href }: Around): void {
  const named = [...new Set(styles)].toSorted().join(" ");
  for (const letter of text)
    state.letters.push({ letter, styles: named, ...(href === undefined ? {} : { href }) });
}

const within = (around: Around, style: string): Around => ({
  ...around,
  isLineStart: false,
  styles: [...around.styles, style],
});

const wrapped =
  (pattern: RegExp, style: string): Rule =>
  (source, around, state) => {
    const match = pattern.exec(source);
    if (match === null) return 0;
    read(match[1] ?? "", within(around, style), state);
    return match[0].length;
  };

const lineSign =
  (pattern: RegExp, style: string): Rule =>
  (source, around, state) => {
    const match = around.isLineStart ? pattern.exec(source) : null;
    if (match === null) return 0;
    const [line = ""] = source.slice(match[0].length).split("\n", 1);
    read(line, within(around, style), state);
    return match[0].length + line.length;
  };

const quote: Rule = (source, around, state) => {
  const match =
    around.isLineStart && !around.styles.includes("quote") ? /^(?: *> [^\n]*(?:\n|$))+/.exec(source) : null;
  if (match === null) return 0;
  const inner = match[0].replaceAll(/^ *> /gm, "");
  read(inner, { ...within(around, "quote"), isLineStart: true }, state);
  return match[0].length;
};
const openQuote: Rule = (source, around, state) => {
  if (!around.isLineStart || !source.startsWith(">>> ")) return 0;
  read(source.slice(4), within(around, "quote"), state);
  return source.length;
};
const codeBlock: Rule = (source, around, state) => {
  const match = /^```(?:([a-z0-9_+\-.#]+?)\n)?\n*([^\n][^]*?)\n*```/i.exec(source);
  if (match === null) return 0;
  show(state, match[2] ?? "", within(around, "pre"));
  return match[0].length;
};
const inlineCode: Rule = (source, around, state) => {
  const match = /^(`+)([\s\S]*?[^`])\1(?!`)/.exec(source);
  if (match === null) return 0;
  show(state, match[2] ?? "", within(around, "code"));
  return match[0].length;
};
const escape: Rule = (source, around, state) => {
  const match = /^\\([^0-9A-Za-z\s])/u.exec(source);
  if (match === null) return 0;
  show(state, match[1] ?? "", around);
  return match[0].length;
};
const address =
  (pattern: RegExp): Rule =>
  (source, around, state) => {
    const match = pattern.exec(source);
    const href = match?.[1];
    if (match === null || href === undefined) return 0;
    show(state, href, { ...around, href });
    return match[0].length;
  };
const maskedLink: Rule = (source, around, state) => {
  const match =
    /^\[((?:\[[^\]]*\]|[^[\]]|\](?=[^[]*\]))*)\]\(\s*<?((?:\([^)]*\)|[^\s\\]|\\.)*?)>?(?:\s+['"]([\s\S]*?)['"])?\s*\)/.exec(
      source,
    );
  if (match === null) return 0;
  read(match[1] ?? "", { ...around, isLineStart: false, href: match[2] ?? "" }, state);
  return match[0].length;
};
const names: Rule = (source, around, state) => {
  const match =
    /^(?:<@[!&]?\d+>|<#\d+>|@everyone|@here|<a?:\w+:\d+>|<t:-?\d+(?::\w)?>|<\/[^:>]+:\d+>|<id:\w+>)/.exec(
      source,
    );
  if (match === null) return 0;
  state.named.push(match[0]);
  show(state, match[0], around);
  return match[0].length;
};

const rules: readonly Rule[] = [
  quote,
  openQuote,
  codeBlock,
  lineSign(/^ *#{1,3}\s+/, "heading"),
  lineSign(/^ *-# +/, "subtext"),
  lineSign(/^ *(?:[*-]|\d{1,10}\.) +/, "list"),
  escape,
  names,
  address(/^<([^: >]+:\/[^ >]+)>/),
  address(/^(https?:\/\/[^\s<]+[^<.,:;"'\]\s])/),
  maskedLink,
  inlineCode,
  wrapped(/^\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)/, "bold"),
  wrapped(/^__((?:\\[\s\S]|[^\\])+?)__(?!_)/, "underline"),
  wrapped(/^\*(?=\S)((?:\*\*|\\[\s\S]|\s+(?:\\[\s\S]|[^\s*\\]|\*\*)|[^\s*\\])+?)\*(?!\*)/, "italic"),
  wrapped(/^\b_((?:__|\\[\s\S]|[^\\_])+?)_\b/, "italic"),
  wrapped(/^~~([\s\S]+?)~~(?!_)/, "strike"),
  wrapped(/^\|\|([\s\S]+?)\|\|/, "spoiler"),
];
