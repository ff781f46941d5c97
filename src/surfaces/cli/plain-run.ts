import { operationNamed } from "../../operations/table.ts";
import type { RunOptions } from "./run.ts";

export type PlainRun = { readonly words: readonly string[]; readonly options: RunOptions };

/**
 * `talaria run …` as it is mostly typed, read by its grammar in the table without the whole command line, which takes longer than
 * an attached turn. `undefined`: anything that is not certainly that; then the command line reads it, and says what is wrong.
 */
export function plainRun([first, ...rest]: readonly string[]): PlainRun | undefined {
  const flags = first === "run" ? flagsOfRun() : undefined;
  if (flags === undefined) return undefined;
  const words: string[] = [];
  const images: string[] = [];
  const options: Record<string, unknown> = {};
  const typed = rest[Symbol.iterator]();
  for (const word of typed) {
    if (!word.startsWith("-") || word === "-") words.push(word);
    else {
      const flag = flags.get(word);
      const value: unknown = flag?.takes === true ? typed.next().value : !word.startsWith("--no-");
      if (flag === undefined || value === undefined || String(value).startsWith("-")) return undefined;
      if (flag.name === "image") images.push(String(value));
      else options[flag.name] = value;
    }
  }
  if (words.length === 0) return undefined;
  return { words, options: { memory: true, context: true, attach: true, ...options, image: images } };
}

/** `takes`: a word behind it. */
type Flag = { readonly name: string; readonly takes: boolean };

function flagsOfRun(): ReadonlyMap<string, Flag> | undefined {
  const grammar = [operationNamed.get("turns.send")?.cli ?? []].flat()[0];
  if (grammar === undefined) return undefined;
  const lines = [...Object.keys(grammar.options ?? {}), "--json"];
  return new Map(
    lines.flatMap((line) => {
      const takes = line.endsWith(">");
      const spelled = line.replace(/ <.*/, "").split(", ");
      const name = spelled.at(-1)?.replace(/^--(?:no-)?/, "") ?? "";
      return spelled.map((flag) => [flag, { name, takes }] as const);
    }),
  );
}
