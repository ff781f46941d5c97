import type { Run } from "../chat/command.ts";
import { errorText } from "../text/error-text.ts";
import { type KanbanOptions, kanbanVerbs } from "./verbs.ts";

/** Narrow enough for every chat. */
const width = 80;

/** `/kanban …`, in the words of `talaria kanban`. */
export const kanban: Run = async (arg, { cwd, now }, client) => {
  const [word = "list", ...rest] = splitWords(arg);
  const verb = kanbanVerbs[word.toLowerCase()];
  if (verb === undefined)
    return { text: `/kanban takes nothing, or one of: ${Object.keys(kanbanVerbs).join(", ")}.` };
  try {
    const { words, options } = parse(rest);
    return { text: (await verb(client, { words, options, cwd, now, width, typed: "/kanban" })).text };
  } catch (error) {
    return { text: errorText(error) };
  }
};

/** Words between spaces; what stands between quotes is one of them. */
const splitWords = (text: string): readonly string[] =>
  [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, plain = ""]) => {
    return double ?? single ?? plain;
  });

const repeated: ReadonlySet<string> = new Set(["parent", "state", "allow"]);

const alone: ReadonlySet<string> = new Set(["triage", "remove"]);

/** `--name value`, and what is no option. */
function parse(all: readonly string[]): {
  readonly words: readonly string[];
  readonly options: KanbanOptions;
} {
  const words: string[] = [];
  const options: Record<string, string | boolean | readonly string[]> = {};
  for (let at = 0; at < all.length; at += 1) {
    const name = /^--([a-z]+)$/.exec(all[at] ?? "")?.[1];
    if (name === undefined) words.push(all[at] ?? "");
    else if (alone.has(name)) options[name] = true;
    else {
      at += 1;
      const value = all[at] ?? "";
      options[name] = repeated.has(name) ? [options[name] ?? [], value].flat().map(String) : value;
    }
  }
  return { words, options };
}
