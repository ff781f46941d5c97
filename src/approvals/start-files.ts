import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { followed, isInside } from "../lib/sandbox-paths.ts";

/** Of bash and zsh. */
const names: readonly string[] = [
  ".profile",
  ".bash_profile",
  ".bash_login",
  ".bashrc",
  ".zshenv",
  ".zprofile",
  ".zshrc",
  ".zlogin",
];

/** What a shell reads in the person's home when it starts. */
export const startFiles = (home: string): readonly string[] => names.map((name) => join(home, name));

/**
 * Why such a file makes a shell run something that can be changed without a question: it puts a folder of the turn's on
 * `PATH`, or reads a file in it. Only words are looked at; what it takes from programs that it runs is not known.
 */
export async function looseStart(home: string, own: readonly string[]): Promise<string | undefined> {
  for (const file of startFiles(home)) {
    const text = await readFile(file, "utf8").catch(() => "");
    if (hasRelative(text)) return `${file} puts a folder on PATH that depends on where it is run`;
    for (const place of placesIn(text, home)) {
      const found = await followed(place).catch(() => place);
      if (own.some((each) => isInside(place, each) || isInside(found, each)))
        return `${file} names ${place}, which can be written without a question`;
    }
  }
  return undefined;
}

const placesIn = (text: string, home: string): readonly string[] =>
  [...text.matchAll(/(~|\$HOME|\$\{HOME\})?(\/[^\s"':;$`(){}|&<>]+)/g)].map(([, start, rest = ""]) =>
    resolve(`${start === undefined ? "" : home}${rest}`),
  );

/** In a line that sets `PATH`: an entry that begins neither at the root nor at a home or another variable. */
const hasRelative = (text: string): boolean =>
  [...text.matchAll(/\bPATH=(\S*)/g)].some(([, value = ""]) =>
    value
      .replaceAll(/["']|;.*$/g, "")
      .split(":")
      .some((entry) => !/^[/~$\\]/.test(entry)),
  );
