/**
 * The result of a tool as a model reads it when the person has said something while the tool ran. A running turn and the
 * history of later ones have the same words for it, so that prompt caches hold.
 */
export const withSteeredWords = (result: string, words: readonly string[]): string =>
  [result, ...words.map((said) => `[The person you work for says meanwhile:]\n${said}`)]
    .filter((part) => part !== "")
    .join("\n\n");
