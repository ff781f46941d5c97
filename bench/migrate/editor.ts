import { readFileSync, renameSync, writeFileSync } from "node:fs";
import type { Random } from "../random.ts";
import { outside } from "./world.ts";

/**
 * Somebody who changes lines of their own in the file, in place or by renaming, and looks each time whether everything
 * they ever saved is there.
 */
export type Editor = {
  /** One change. */
  edit(): void;
  /** What is wrong with the file now; nothing if it has what was saved last. */
  look(): readonly string[];
  readonly edits: number;
};

export function editor(file: string, random: Random): Editor {
  let mine = outside(readFileSync(file, "utf8"));
  let edits = 0;
  return {
    get edits() {
      return edits;
    },
    look() {
      const found = outside(readFileSync(file, "utf8"));
      if (found === mine) return [];
      const lost = lines(mine).filter((line) => !lines(found).includes(line));
      const extra = lines(found).filter((line) => !lines(mine).includes(line));
      const broken = `after edit ${edits}: lost ${JSON.stringify(lost)}, came back ${JSON.stringify(extra)}`;
      mine = found;
      return [broken];
    },
    edit() {
      const text = readFileSync(file, "utf8");
      edits += 1;
      const changed = random.pick([atTop, atEnd, lessOf])(text, edits, random);
      mine = outside(changed);
      if (random.oneIn(2)) return writeFileSync(file, changed);
      writeFileSync(`${file}.edited`, changed);
      renameSync(`${file}.edited`, file);
    },
  };
}

const lines = (text: string): readonly string[] => text.split("\n");

const atTop = (text: string, edit: number): string =>
  `key_${edit} = "${"x".repeat(edit % 40)}" # mine\n${text}`;
const atEnd = (text: string, edit: number): string => `${text}\n[table_${edit}]\nvalue = [\n  ${edit},\n]\n`;

/** Takes one of the keys out again. */
function lessOf(text: string, _edit: number, random: Random): string {
  const keys = text.match(/^key_.*\n/gm) ?? [];
  return keys.length === 0 ? text : text.replace(random.pick(keys), "");
}
