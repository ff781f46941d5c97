import type { Corpus } from "./corpus.ts";

export type Kind = "rare" | "common" | "two words" | "phrase" | "prefix" | "cjk";

/** The same question twice: as a person types it, and as FTS5 wants it. */
export type Query = {
  readonly kind: Kind;
  readonly typed: string;
  readonly index: "message_words" | "message_trigrams";
  readonly match: string;
};

export function queries({ words, pick }: Corpus, samples: readonly string[], each: number): readonly Query[] {
  const cjk = samples.filter(isCjk);
  const spoken = samples.filter((text) => !isCjk(text) && text.split(" ").length > 8);
  const make: Readonly<Record<Kind, () => string>> = {
    rare: () => words[words.length - 1 - pick(words.length / 3)] ?? "",
    common: () => words[pick(50)] ?? "",
    "two words": () => `${words[50 + pick(500)]} ${words[50 + pick(500)]}`,
    phrase: () => `"${piece(spoken[pick(spoken.length)]?.split(" ") ?? [], 2 + pick(2)).join(" ")}"`,
    prefix: () => `${words[2000 + pick(10_000)]?.slice(0, 4)}*`,
    cjk: () => piece([...(cjk[pick(cjk.length)] ?? "").replaceAll("。", "")], 3).join(""),
  };
  return (Object.keys(make) as Kind[]).flatMap((kind) =>
    Array.from({ length: each }, () => {
      const typed = make[kind]();
      const index = kind === "cjk" ? ("message_trigrams" as const) : ("message_words" as const);
      return { kind, typed, index, match: matchOf(kind, typed) };
    }),
  );

  function piece<T>(of: readonly T[], length: number): readonly T[] {
    const from = pick(Math.max(1, of.length - length));
    return of.slice(from, from + length);
  }
}

function matchOf(kind: Kind, typed: string): string {
  if (kind === "phrase") return typed;
  if (kind === "prefix") return `"${typed.slice(0, -1)}" *`;
  return typed
    .split(" ")
    .map((word) => `"${word}"`)
    .join(" AND ");
}

const isCjk = (text: string): boolean => /\p{Script=Han}/u.test(text);
