import type { CallItem, OpenItem } from "./items.ts";
import { type Json, isPlainObject, stableJson } from "./json.ts";
import { clean, short } from "./plain-text.ts";

/** A call that has begun, in one plain line. */
export const beginLine = ({ tool, args }: Pick<OpenItem, "tool" | "args">): string =>
  `▸ ${clean(tool ?? "tool")} ${short(callDetail(tool ?? "", args) ?? stableJson(args ?? {}), 100)}`;

/** How a call ended, in one plain line. */
export function callLine({ tool, ok, exitCode, durationMs, output }: CallItem): string {
  const how = ok ? "done" : exitCode === undefined ? "failed" : `exit ${exitCode}`;
  const time = durationMs === undefined ? "" : ` in ${Math.round(durationMs)} ms`;
  return `  ${clean(tool)} ${how}${time}${ok ? "" : `: ${short(output, 160)}`}`;
}

/** Codex runs everything through a login shell; a person knows the command without it. */
export function withoutShell(command: string): string {
  const found = /^(?:\/(?:usr\/)?bin\/)?(?:ba|z)?sh -l?c (?:'([^']*)'|([^\s'"\\$]+))$/.exec(command);
  return found?.[1] ?? found?.[2] ?? command;
}

/** The arguments of a tool that nobody knows more about: the only one if it is a text, else all as JSON. */
export function argumentWords(args: Json | undefined): string {
  if (args === undefined) return "";
  const values = isPlainObject(args) ? Object.values(args) : [args];
  const [only] = values;
  if (values.length === 0) return "";
  if (values.length === 1 && typeof only === "string") return only;
  try {
    return stableJson(args);
  } catch {
    return "(arguments that are nested too deep)";
  }
}

/** The one thing about a call of our newer tools that matters to a person. `undefined`: the arguments are not as they should be. */
export function callDetail(tool: string, args: Json | undefined): string | undefined {
  const fields = isPlainObject(args) ? args : {};
  const found = Object.hasOwn(details, tool) ? details[tool]?.(fields) : undefined;
  return typeof found === "string" && found !== "" ? found : undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const details: Readonly<Record<string, (fields: Fields) => unknown>> = {
  delegate_task: ({ goal, tasks }) => goal ?? wordsOf(tasks, "goal")?.join("; "),
  todo: ({ todos }) => wordsOf(todos, "content")?.join("; "),
  clarify: ({ question }) => question,
  cronjob: ({ action, name, when }) => [action, name, when].filter(isText).join(" "),
  web_search: ({ query }) => query,
  web_extract: ({ urls }) => (Array.isArray(urls) ? urls.filter(isText).join(", ") : undefined),
  browser_type: ({ ref, text }) => (isText(ref) && isText(text) ? `${ref}: ${text}` : undefined),
  vision_analyze: ({ image }) =>
    isText(image) ? image.replace(/^(data:[^,]{0,60}),.*$/s, "$1,…") : undefined,
  image_generate: ({ prompt }) => prompt,
  text_to_speech: ({ text }) => text,
  memory: memoryWords,
  skill_manage: skillWords,
  skill_view: ({ name, file }) => (isText(file) && isText(name) ? `${name}: ${file}` : name),
};

function memoryWords({ action, content, old_text: old, target }: Fields): string | undefined {
  const where = target === "user" ? " about you" : target === "project" ? " about this project" : "";
  if (action === "add" && isText(content)) return `remembered${where}: ${content}`;
  if (action === "remove" && isText(old)) return `forgot${where}: ${old}`;
  if (action === "replace" && isText(old) && isText(content))
    return `remembered${where}: ${content} (before: ${old})`;
  return undefined;
}

function skillWords({ action, name, file }: Fields): string | undefined {
  const done = isText(action) ? skillDone.get(action) : undefined;
  if (done === undefined || !isText(name)) return undefined;
  return `${done} ${name}${isText(file) ? `: ${file}` : ""}`;
}

const skillDone: ReadonlyMap<string, string> = new Map([
  ["create", "wrote the skill"],
  ["patch", "changed the skill"],
  ["edit", "rewrote the skill"],
  ["delete", "removed the skill"],
  ["write_file", "wrote a file of the skill"],
  ["remove_file", "removed a file of the skill"],
]);

const wordsOf = (list: unknown, key: string): readonly string[] | undefined =>
  Array.isArray(list)
    ? list
        .filter(isPlainObject)
        .map((one) => one[key])
        .filter(isText)
    : undefined;

const isText = (value: unknown): value is string => typeof value === "string";
