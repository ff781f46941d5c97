/** Patterns for what people say. */

const polite = String.raw`^\s*(?:please,?\s+|(?:can|could|would) you\s+(?:please\s+)?)?`;
export const asked = (rest: string): RegExp => new RegExp(polite + rest, "i");
export const words = (group: string): string => String.raw`["“]?(?<${group}>[^"”\n]+?)["”]?\s*[.?!]*\s*$`;
export const oneWord = (group: string): string =>
  String.raw`["'“\x60]?(?<${group}>[^\s"'”\x60]+?)["'”\x60]?[?!,.]*\s*$`;
export const commandLine = String.raw`\x60?(?<line>[^\x60\n]+?)\x60?\s*$`;
