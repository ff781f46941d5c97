import { type Json, isPlainObject } from "../../core/json.ts";
import type { Revision } from "../../core/learning.ts";
import type { Redo } from "../index.ts";
import { entriesOf, withRemoved } from "../memory/entries.ts";
import { frontMatter } from "../skills/skill-format.ts";
import { type Needle, needle } from "./folded.ts";

/** `whole`: the file goes as it is. */
export type ForgetChange = { readonly forget: string; readonly whole?: true };

type Redos = Readonly<Record<Revision["kind"], Redo>>;

/** The same changes, and that of forgetting a text. */
export const withForgetting = (redo: Redos): Redos => ({
  memory: (change, now) => {
    const asked = forgetChange(change);
    if (asked === undefined) return redo.memory(change, now);
    return now === undefined || asked.whole ? undefined : withoutEntries(now, needle(asked.forget));
  },
  skill: (change, now) => {
    const asked = forgetChange(change);
    if (asked === undefined) return redo.skill(change, now);
    return now === undefined || asked.whole ? undefined : withoutLines(now, needle(asked.forget));
  },
});

function forgetChange(change: Json): ForgetChange | undefined {
  const { forget, whole } = isPlainObject(change) ? change : {};
  if (typeof forget !== "string") return undefined;
  return { forget, ...(whole === true ? { whole } : {}) };
}

/** What would be removed from a file. `undefined`: all of it. */
export function removedFrom(
  kind: Revision["kind"],
  now: string,
  sought: Needle,
): readonly string[] | undefined {
  if (kind === "memory")
    return entriesOf(now)
      .entries.filter(({ text }) => sought.isIn(text))
      .map(({ text }) => text);
  if (withoutLines(now, sought) === undefined) return undefined;
  const body = now.slice(headOf(now).length);
  const gone = sought.linesOf(body);
  return body.split("\n").filter((_line, at) => gone.has(at));
}

/** A file of memory without the entries that have it. */
function withoutEntries(now: string, sought: Needle): string {
  let text = now;
  for (;;) {
    const found = entriesOf(text).entries.find((entry) => sought.isIn(entry.text));
    if (found === undefined) return text;
    text = withRemoved(text, found);
  }
}

/** A file of a skill without the lines that have it. One whose front matter has it, or of which nothing is left, goes. */
function withoutLines(now: string, sought: Needle): string | undefined {
  const head = headOf(now);
  if (sought.isIn(head)) return undefined;
  const body = now.slice(head.length);
  const gone = sought.linesOf(body);
  const left = body.split("\n").filter((_line, at) => !gone.has(at));
  return left.join("\n").trim() === "" && head === "" ? undefined : head + left.join("\n");
}

/** What makes a SKILL.md one: without it there is no skill. */
export const headOf = (text: string): string => text.slice(0, frontMatter(text)?.end ?? 0);
