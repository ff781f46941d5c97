import { randomFrom } from "../random.ts";

/** Text that is like conversation to an index: a few words are everywhere, most are rare, lengths vary widely. */
export type Corpus = {
  message(): { readonly role: "user" | "assistant" | "tool"; readonly content: string };
  /** Words from the most common to the rarest. */
  readonly words: readonly string[];
  pick(below: number): number;
};

/** `most`: words of the longest message, of the person and of all others. */
export function corpus(seed: number, most = { user: 45, other: 125 }): Corpus {
  const { below: pick, fraction } = randomFrom(seed);
  const words = vocabulary(30_000, pick);
  const characters = Array.from({ length: 2500 }, (_, n) => String.fromCodePoint(0x4e00 + n * 7));
  // The square of a uniform number, squared again: rank 0 is thousands of times as likely as the last.
  const zipf = (size: number): number => Math.floor(size * fraction() ** 4);

  return {
    words,
    pick,
    message() {
      const role = (["user", "assistant", "assistant", "tool"] as const)[pick(4)] ?? "user";
      const length = 5 + Math.floor(((role === "user" ? most.user : most.other) - 5) * fraction() ** 2);
      if (pick(10) === 0) return { role, content: sentences(length, () => characters[zipf(2500)] ?? "") };
      return { role, content: Array.from({ length }, () => words[zipf(words.length)]).join(" ") };
    },
  };
}

const sentences = (length: number, character: () => string): string =>
  Array.from({ length }, (_, at) => character() + (at % 17 === 16 ? "。" : "")).join("");

/** Distinct made-up words; the common ones are short, as in real languages. */
function vocabulary(size: number, pick: (below: number) => number): readonly string[] {
  const onsets = "b c d f g h j k l m n p r s t v w z br ch cl dr fl gr pl pr sh st th tr".split(" ");
  const vowels = "a e i o u ai ea ie ou".split(" ");
  const words = new Set<string>();
  while (words.size < size) {
    const syllables = 1 + Math.floor(Math.log10(words.size + 1)) + pick(2);
    const parts = Array.from({ length: Math.max(1, syllables - 1) }, () => [
      onsets[pick(onsets.length)],
      vowels[pick(vowels.length)],
    ]);
    words.add([...parts.flat(), "nrsltmk"[pick(7)]].join(""));
  }
  return [...words];
}
