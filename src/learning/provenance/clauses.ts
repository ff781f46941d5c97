/** Where a word begins or ends, in any script. */
const border = "(?:(?<=[\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_]))";

/** Somebody speaks of themselves: `I like boats and I live in Bern` says two things, `push it and I quit` one. */
const self =
  "(?:(?:i|my|we|our|ich|mein|meine|wir|unser|unsere|je|mon|ma|nous|notre|yo|mi|nosotros|я|мой|моя|мы|наш)(?!\\p{L})|j')";

/** `tabs not spaces` and `tabs instead of spaces` affirm the one and deny the other; `do not` denies all that follows. */
let between: RegExp | undefined;
const betweenPattern = (): RegExp =>
  (between ??= new RegExp(
    [
      "[\\n.,;:!?。，；：！？、]+",
      "\\b(?:but|aber|sondern|instead(?! of))\\b|(?<!\\p{L})но(?!\\p{L})",
      "(?=\\b(?:instead of|anstatt|statt)\\b)|(?<!\\p{L})(?=вместо)",
      `(?<=^\\s*${self}[^]*)\\s(?:and|und|et|y|и)\\s(?=${self})`,
      "(?<!\\b(?:do|does|did|is|are|am|was|were|be|has|have|had|will|would|can|could|should|shall|must|may|might|'m|'s|'re)\\s)(?=\\bnot\\s)",
    ]
      .join("|")
      .replaceAll("\\b", border),
    "iu",
  ));

/** The parts of a sentence that say something each. */
export const clauseTexts = (text: string): readonly string[] =>
  text.split(betweenPattern()).filter((one) => one !== undefined && one.trim() !== "");
