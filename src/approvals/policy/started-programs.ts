import { dirname } from "node:path/posix";
import { type Invocation, isUnknown, operands } from "../shell/shell-invocation.ts";
import { type CommandContext, inspect } from "./danger.ts";
import { type Label, labels } from "./labels.ts";
import { names } from "./names.ts";
import { resolvePath } from "./paths.ts";

/** What a command would run and work on, or why nobody can say. */
export type Started =
  | {
      /** Their names. */
      readonly programs: readonly string[];
      /** Absolute. What leads somewhere else tomorrow makes it another action; the folder it runs in is not among them. */
      readonly paths: readonly string[];
      /** A shell in it reads the start-up files of the person. */
      readonly login: boolean;
    }
  | { readonly open: string };

/** Where a system keeps its programs; what stands elsewhere is a file of somebody's own. */
export const systemFolders = names(
  "/usr/local/sbin /usr/local/bin /usr/sbin /usr/bin /sbin /bin /opt/homebrew/bin",
);

/**
 * What a command would run, if that is its words and programs of the system and nothing else. A script, a project's
 * settings, a hook or an import can be rewritten after a yes, so a command that runs such files has no fixed meaning.
 * Pure; in doubt it is open.
 */
export function startedPrograms(command: string, context: CommandContext): Started {
  const { labels: found, inspected } = inspect(command, context);
  const shifting = found.find((label) => shiftingLabels.has(label));
  if (shifting !== undefined) return { open: `it ${labels[shifting].means}` };
  const invocations = inspected.map(({ invocation }) => invocation);
  for (const invocation of invocations) {
    const open = whyOpen(invocation);
    if (open !== undefined) return { open };
  }
  const paths = invocations.flatMap(pathsOf);
  if (paths.includes(undefined)) return { open: "nobody can say where it works" };
  const here = resolvePath(undefined, context.cwd);
  return {
    programs: [...new Set(invocations.flatMap(({ fields }) => fields[0]?.text ?? []))].toSorted(),
    paths: [
      ...new Set(paths.filter((path): path is string => path !== undefined && path !== here)),
    ].toSorted(),
    login: invocations.some(readsStartFiles),
  };
}

/** What such a command does depends on more than its words and its programs. */
const shiftingLabels: ReadonlySet<Label> = new Set<Label>([
  "obscure",
  "hidden-text",
  "fed-shell",
  "download-run",
  "inline-code",
  "hijack",
  "schedule",
  "service",
  "container",
  "agent",
  "privilege",
  "permissions",
  "sensitive-write",
  "system-write",
]);

function whyOpen(invocation: Invocation): string | undefined {
  const { fields, args, assigns } = invocation;
  const word = fields[0]?.text;
  if (assigns.size > 0) return variables;
  if (!speakers.has(word ?? "") && filesOf(invocation).some(({ op }) => op.includes(">")))
    return "it writes what it finds when it runs";
  if (word === undefined) return undefined;
  if (args.some(isUnknown)) return "some of its words are known only when it runs";
  const name = word.slice(word.lastIndexOf("/") + 1);
  if (word.includes("/") && !systemFolders.has(dirname(word))) return `it runs the file ${word}`;
  if (textShells.has(name)) return isText(args) ? undefined : `${name} may read what it runs from a file`;
  if (setters.has(name) && args.some((arg) => /^[^/]*=|^-/.test(arg))) return variables;
  if (works.has(name) && args.some((arg) => arg.includes("=")))
    return "one of its options may name another file";
  return quiet.has(name) || works.has(name) || removers.has(name)
    ? undefined
    : `nobody can say what “${name}” runs`;
}

/** Where it works; undefined for what nobody can resolve. */
function pathsOf(invocation: Invocation): readonly (string | undefined)[] {
  const { name, args, cwd } = invocation;
  const named = works.has(name) || removers.has(name) ? operands(args) : [];
  const paths = named.map((arg) => fixedPath(cwd, arg));
  return [
    // A name in a folder is made or removed, whatever it leads to.
    ...paths.map((path) => (removers.has(name) && path !== undefined ? dirname(path) : path)),
    ...filesOf(invocation).map(({ target }) => fixedPath(cwd, target.text)),
  ];
}

/** Behind a link `..` is somewhere else, and a slash at the end follows one. */
const fixedPath = (cwd: string | undefined, path: string): string | undefined =>
  /(^|\/)\.\.(\/|$)|\/$/.test(path) ? undefined : resolvePath(cwd, path);

/** Its redirects, other than those to its own outputs and to nowhere. */
const filesOf = ({ redirects }: Invocation): Invocation["redirects"] =>
  redirects.filter(({ target: { text } }) => !/^(\d+|-|\/dev\/null)$/.test(text));

const variables = "it sets variables, which can change what its programs run";

/** With certain arguments they set variables. */
const setters = names("env printf");

/** Their start-up files are known. */
const textShells = names("bash sh dash zsh");

/** `-c text` and nothing before it: no other option can make it read a file first. */
const isText = ([option = "", text]: readonly string[]): boolean =>
  /^-[lexu]*c$/.test(option) && text !== undefined;

const readsStartFiles = ({ name, args: [option = ""] }: Invocation): boolean =>
  textShells.has(name) && (name === "zsh" || option.includes("l"));

/** All that they write is in the words. */
const speakers = names("echo printf");

/** They open none of the files they are given. The last ones run the command that follows, which is inspected too. */
const quiet = names(
  "cd pwd echo printf true false : test [ exit sleep wait date which id whoami groups uname hostname uptime free ps " +
    "kill pkill killall ping nohup timeout nice time command env",
);

/** They work on the files they are given, and on nothing else. */
const works = names(
  "touch truncate shred ls cat head tail wc stat du df readlink diff cmp md5sum sha1sum sha256sum",
);

/** They make or remove names in a folder, and follow no link below it. */
const removers = names("rm rmdir unlink mkdir");
