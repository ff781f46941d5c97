import { isAfterthought } from "./comments.ts";

/**
 * The sentences with which somebody says how things are or should be. Those that ask, or that only point at something to
 * be read, name a matter without saying anything of it.
 */
export const statements = (ownMessages: readonly string[]): readonly string[] =>
  ownMessages
    .flatMap((said) => asMeant(sentencesOf(said)).filter(states))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");

/** What takes a sentence back belongs to it, and so does the heading above it. */
function asMeant(sentences: readonly string[]): readonly string[] {
  const joined: string[] = [];
  let heading = "";
  for (const sentence of sentences) {
    const before = joined.at(-1);
    if (isHeading(sentence) || (before === undefined && isAfterthought(sentence))) {
      heading = `${sentence.trim().replace(/[.!。！:：]+$/u, "")}: `;
      continue;
    }
    if (before !== undefined && states(before) && isAfterthought(sentence))
      joined[joined.length - 1] = before + sentence;
    else joined.push(heading + sentence);
  }
  return joined;
}

const isHeading = (line: string): boolean => /[:：]\s*$/u.test(line);

/** The mark belongs to what it ends. A full stop within a name ends nothing. */
export const sentencesOf = (text: string): readonly string[] =>
  text.split(/(?<=\n|[.!?…]["'”»)]*(?=\s)|[。！？])/u);

export const states = (sentence: string): boolean => {
  const text = sentence.trim().toLowerCase();
  return wishes.test(text) || !(/[?？]["'”»)]*$/u.test(text) || looks.test(text));
};

/** A question in its form alone. */
const wishes =
  /^(?:please,? )?(?:can|could|would|will) you (?:please )?(?!look|read|tell|explain|summar|find|check|search)|\bremember that\b|^(?:bitte |kannst du |könntest du )+merk|^merk dir|, (?:ok|okay|right|please|yes|oder|ja|gut)\?$/u;

const looks =
  /^(?:please |bitte |can you |could you |now |ok(?:ay)?,? |hi,? |hey,? )*(?:have a look|take a look|look (?:at|into|up|for)|read|summari[sz]e|sum up|tell me (?:what|about|whether|in|how|who|why|when|where)|what|who|why|where|find out|search|check (?:what|whether|out)|lies|schau|sieh|fass|such|was|wer|warum|lis|résume|resume|lee|busca|прочитай|прочти|посмотри|расскажи|найди|что|кто|почему)(?![\p{L}\p{M}])|^(?:请)?(?:看看|看一下|阅读|总结|查找|读一下)/u;
