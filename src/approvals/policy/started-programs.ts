import { dirname } from "node:path/posix";
import { type Invocation, isUnknown } from "../shell/shell-invocation.ts";
import { type Ground, inspect } from "./danger.ts";
import { type Label, labels } from "./labels.ts";

/** The programs of a command by their names, or why nobody can say what it would run. */
export type Started =
  | {
      readonly programs: readonly string[];
      /** A shell in it reads the start-up files of the person. */
      readonly login: boolean;
    }
  | { readonly open: string };

/** Where a system keeps its programs; what stands elsewhere is a file of somebody's own. */
export const systemFolders: readonly string[] = [
  "/usr/local/sbin",
  "/usr/local/bin",
  "/usr/sbin",
  "/usr/bin",
  "/sbin",
  "/bin",
  "/opt/homebrew/bin",
];

/**
 * What a command would run, if that is its words and programs of the system and nothing else. A script, a project's
 * settings, a hook or an import can be rewritten after a yes, so a command that runs such files has no fixed meaning.
 * Pure; in doubt it is open.
 */
export function startedPrograms(command: string, ground: Ground): Started {
  const { labels: found, looks } = inspect(command, ground);
  const shifting = found.find((label) => shiftingLabels.has(label));
  if (shifting !== undefined) return { open: `it ${labels[shifting].means}` };
  const invocations = looks.map(({ invocation }) => invocation);
  for (const invocation of invocations) {
    const open = whyOpen(invocation);
    if (open !== undefined) return { open };
  }
  return {
    programs: [...new Set(invocations.flatMap(({ fields }) => fields[0]?.text ?? []))].toSorted(),
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
  "sensitive-write",
  "system-write",
]);

function whyOpen({ fields, args, assigns }: Invocation): string | undefined {
  const word = fields[0]?.text;
  if (assigns.size > 0) return variables;
  if (word === undefined) return undefined;
  if (args.some(isUnknown)) return "some of its words are known only when it runs";
  const name = word.slice(word.lastIndexOf("/") + 1);
  if (word.includes("/") && !systemFolders.includes(dirname(word))) return `it runs the file ${word}`;
  if (textShells.has(name)) return isText(args) ? undefined : `${name} may read what it runs from a file`;
  if (setters.has(name) && args.some((arg) => /^[^/]*=|^-/.test(arg))) return variables;
  return plain.has(name) ? undefined : `nobody can say what “${name}” runs`;
}

const variables = "it sets variables, which can change what its programs run";

/** With the right words they set variables. */
const setters: ReadonlySet<string> = new Set(["env", "printf"]);

/** Their start-up files are known. */
const textShells: ReadonlySet<string> = new Set(["bash", "sh", "dash", "zsh"]);

/** `-c text` and nothing before it: no other option can make it read a file first. */
const isText = ([option = "", text]: readonly string[]): boolean =>
  /^-[lexu]*c$/.test(option) && text !== undefined;

const readsStartFiles = ({ name, args: [option = ""] }: Invocation): boolean =>
  textShells.has(name) && (name === "zsh" || option.includes("l"));

/** They run nothing but themselves and, the last ones, the command behind them, which is looked at as well. */
const plain: ReadonlySet<string> = new Set(
  [
    ["cd", "pwd", "echo", "printf", "true", "false", ":", "test", "[", "exit", "sleep", "wait", "umask"],
    ["touch", "mkdir", "rmdir", "rm", "unlink", "cp", "mv", "ln", "truncate", "dd", "tee", "shred"],
    ["chmod", "chown", "chgrp", "ls", "cat", "head", "tail", "wc", "uniq", "cut", "tr", "stat", "du", "df"],
    ["date", "basename", "dirname", "realpath", "readlink", "diff", "cmp", "md5sum", "sha1sum", "sha256sum"],
    ["id", "whoami", "groups", "uname", "hostname", "uptime", "ps", "kill", "pkill", "killall", "grep"],
    ["find", "curl", "ping", "free", "which"],
    ["nohup", "timeout", "nice", "time", "command", "env"],
  ].flat(),
);
