import type { FileChange, Question } from "../core/asking.ts";
import { changeSummary } from "../core/text/change-summary.ts";
import { isPlainObject, stableJson } from "../core/json.ts";
import type { StoredApproval } from "../core/ledger.ts";
import { isExact } from "./action-hash.ts";
import { pastDecision } from "./past-decision.ts";
import { exactly, hidesSomething, readably } from "./visible-text.ts";

export type ShownExtras = {
  /** The newest earlier question about the same action. */
  readonly before?: StoredApproval;
  /** Why it has to be asked. */
  readonly because?: string;
  readonly labels?: readonly string[];
  /** Why an earlier yes to the same words does not hold for it. */
  readonly unusable?: string;
  /** Why it can be allowed only once. */
  readonly open?: string;
};

/**
 * What a person is shown before they decide, line by line, on every surface. The action is shown whole; of what is too
 * long, the beginning and the end with a count between. No line holds a character that could steer a screen, and where
 * nothing was left out the lines determine the command.
 */
export function shownLines(question: Question, runtime: string, extras: ShownExtras = {}): readonly string[] {
  const { cwd, reason } = question;
  return [
    ...actionLines(question),
    field("folder", cwd.trim() === "" ? "(not known)" : cwd, exactly),
    ...(reason === undefined || reason.trim() === "" ? [] : block("reason", reason, readably)),
    field("runtime", runtime, exactly),
    ...(extras.because === undefined || extras.because === ""
      ? []
      : [field("asks because", extras.because, readably)]),
    ...((extras.labels ?? []).length === 0
      ? []
      : [field("danger", (extras.labels ?? []).join(", "), readably)]),
    ...(extras.unusable === undefined ? [] : [field("asks again", extras.unusable, readably)]),
    ...(extras.open === undefined
      ? []
      : [field("only once", `${extras.open}, and that can change after a yes`, readably)]),
    ...(extras.before === undefined ? [] : [field("asked before", pastDecision(extras.before), readably)]),
  ];
}

function actionLines(question: Question): readonly string[] {
  const { action, tool, args } = question;
  switch (action.kind) {
    case "command":
      return [
        ...block("command", action.command, exactly),
        ...hiddenNote([action.command]),
        field("sandbox", sandboxWords[action.fence], readably),
        ...restOf(question, action.command),
      ];
    case "change":
      return changeLines(question, action.changes, action.root);
    case "permissions":
      return block("permissions asked for", leaves(action.wanted).map(exactly).join("\n"), (line) => line);
    case "tool":
      return [
        field("tool", tool, exactly),
        field("what", question.summary, readably),
        ...argumentLines(args),
      ];
  }
}

const sandboxWords = {
  sandbox: "inside",
  none: "none: it can do whatever you can",
  unknown: "not known, so it may be able to do whatever you can",
} as const;

/** Arguments that the command line does not say. */
function restOf({ args, cwd }: Question, command: string): readonly string[] {
  if (!isPlainObject(args)) return [];
  const rest = Object.entries(args).filter(([, value]) => value !== command && value !== cwd);
  return rest.length === 0 ? [] : argumentLines(Object.fromEntries(rest));
}

const argumentLines = (args: unknown): readonly string[] =>
  block("arguments", JSON.stringify(JSON.parse(stableJson(args)), undefined, 2), exactly);

function changeLines(
  question: Question,
  changes: readonly FileChange[] | undefined,
  root: string | undefined,
): readonly string[] {
  const known = changes ?? [];
  return [
    field("change", shownChanges(changes), exactly),
    ...mostChanges(known).flatMap((change) => (typeof change === "string" ? [change] : diffLines(change))),
    ...(root === undefined ? [] : [field("opens for writing, with everything in it", root, exactly)]),
    ...hiddenNote([...known.map(({ path }) => path), ...(root === undefined ? [] : [root])]),
    ...(isExact(question)
      ? []
      : ["note: nobody can say what exactly would be changed", ...argumentLines(question.args)]),
  ];
}

export function shownChanges(changes: readonly FileChange[] | undefined): string {
  if (changes === undefined) return "not known";
  return changes.length === 0 ? "1 change pending" : changeSummary(changes);
}

const mostShown = 20;

/** All changes, or the first and the last ones with a count between. */
function mostChanges(changes: readonly FileChange[]): readonly (FileChange | string)[] {
  if (changes.length <= mostShown) return changes;
  const left = changes.length - mostShown;
  return [
    ...changes.slice(0, mostShown / 2),
    `  [${left} more changes left out]`,
    ...changes.slice(-mostShown / 2),
  ];
}

const diffLines = ({ kind, path, diff }: FileChange): readonly string[] =>
  diff === undefined || diff === ""
    ? [`  ${kind} ${exactly(path)}`]
    : block(`  ${kind} ${exactly(path)}`, diff, readably);

/** Everything in it, one line for each value: `fileSystem write: /var/tmp`. */
function leaves(wanted: unknown, path: readonly string[] = []): readonly string[] {
  if (Array.isArray(wanted)) return wanted.flatMap((each) => leaves(each, path));
  if (isPlainObject(wanted))
    return Object.entries(wanted).flatMap(([key, value]) => leaves(value, [...path, key]));
  return wanted === null ? [] : [`${path.join(" ")}: ${String(wanted)}`];
}

const hiddenNote = (texts: readonly string[]): readonly string[] =>
  texts.some(hidesSomething) ? ["note: contains hidden or look-alike characters, spelled out as \\u{…}"] : [];

/** Makes one line fit to be shown. */
type Spell = (line: string) => string;

/** What is always one line, whatever is in it. */
const field = (label: string, text: string, spell: Spell): string => `${label}: ${spell(text)}`;

/**
 * A text line by line under its label. Only lines of the text stand this far in, so that nothing in it can pass for a
 * label.
 */
function block(label: string, text: string, spell: Spell): readonly string[] {
  const lines = (part: string): string[] => part.split("\n").map((line) => `    ${spell(line)}`);
  const { head, tail } = ends(text);
  if (tail === undefined) return [`${label}:`, ...lines(head)];
  const left = text.slice(head.length, text.length - tail.length);
  const count = left.replaceAll(/^\n|\n$/g, "").split("\n").length;
  const words = `${left.length} characters in ${count} ${count === 1 ? "line" : "lines"}`;
  return [`${label}:`, ...lines(head), `  [${words} left out]`, ...lines(tail)];
}

const mostCharacters = 4000;
const mostLines = 40;

/** Without a tail: the head is the whole. */
function ends(text: string): { readonly head: string; readonly tail?: string } {
  const lines = text.split("\n");
  if (text.length <= mostCharacters && lines.length <= mostLines) return { head: text };
  const head = lines
    .slice(0, mostLines / 2)
    .join("\n")
    .slice(0, mostCharacters / 2);
  const tail = lines
    .slice(-mostLines / 2)
    .join("\n")
    .slice(-mostCharacters / 2);
  return { head, tail };
}
