import { disguises } from "./corpus-disguises.ts";
import { memoryChanges, quotes } from "./corpus-quotes.ts";
import { pastTools, skillTexts } from "./corpus-skills.ts";
import { turnedRound } from "./corpus-turned.ts";
import { plainWords } from "./corpus-words.ts";
import type { Poison } from "./poison.ts";

/** All texts. */
export const corpus: readonly Poison[] = [
  ...plainWords,
  ...disguises,
  ...quotes,
  ...memoryChanges,
  ...skillTexts,
  ...pastTools,
  ...turnedRound,
];
