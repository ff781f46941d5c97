/** The command as the model gave it: codex runs it in a shell of its own, and says so. */
export function plainCommand(command: string): string {
  const [, inner] = /^\S*\/?(?:ba|z|da|k)?sh -l?c (.+)$/s.exec(command) ?? [];
  if (inner === undefined) return command;
  const quoted = /^'(.*)'$/s.exec(inner)?.[1];
  return quoted === undefined ? inner : quoted.replaceAll(`'\\''`, "'").replaceAll(`'"'"'`, "'");
}

/**
 * Does it read commands from its input? Whoever writes to it then runs something that nobody was asked about, and codex
 * tells of it afterwards. Goes by words: what hides behind a script or a quoted line is not seen.
 */
export function readsCommands(command: string): boolean {
  const text = plainCommand(command)
    .replaceAll(/\d*>>?\s*(&\d|\S+)/g, " ")
    // What a text in the line is the input of does not read ours.
    .replace(/<<.*$/s, " <<");
  return loop.test(text) || text.split(/;|&&|\|\||\n/).some((part) => isReader(part.split("|")[0] ?? ""));
}

/** One command, without what its output goes to. */
function isReader(command: string): boolean {
  const [program = "", ...rest] = withoutWrappers(command.split(/[\s()]+/).filter(Boolean));
  const name = program.replace(/^.*\//, "");
  if (alwaysRead.has(name)) return true;
  if (rest.some((word) => /^\/dev\/(stdin|tty|fd\/0)$/.test(word)) && /^(source|\.)$/.test(name)) return true;
  const isInteractive = rest.some((word) => /^-[a-zA-Z]*[is][a-zA-Z]*$|^--(interactive|stdin)$/.test(word));
  if (containers.has(name)) return isInteractive;
  if (!readers.test(name)) return false;
  return isInteractive || rest.every((word) => word.startsWith("-") && !/^-[a-zA-Z]*[cem]$/.test(word));
}

/** `env -i A=1 timeout 9 bash` is `bash`. */
function withoutWrappers(words: readonly string[]): readonly string[] {
  const [first = "", ...rest] = words;
  if (/^\w+=/.test(first)) return withoutWrappers(rest);
  const valued = wrappers.get(first.replace(/^.*\//, ""));
  if (valued === undefined) return words;
  const at = rest.findIndex(
    (word, index) =>
      !word.startsWith("-") && !/^\d+(\.\d+)?[smhd]?$/.test(word) && !valued.includes(rest[index - 1] ?? ""),
  );
  return at < 0 ? [] : withoutWrappers(rest.slice(at));
}

/** What runs the rest of its words, with those of its options that have a word of their own. */
const wrappers: ReadonlyMap<string, readonly string[]> = new Map([
  ...["exec", "command", "nohup", "time", "setsid", "then", "do", "else", "{", "!"].map(
    (name): [string, string[]] => [name, []],
  ),
  ["env", ["-u", "--unset", "-C", "--chdir"]],
  ["timeout", ["-s", "--signal", "-k", "--kill-after"]],
  ["nice", ["-n"]],
  ["ionice", ["-c", "-n"]],
  ["stdbuf", ["-i", "-o", "-e"]],
  ["sudo", ["-u", "-g", "-C", "-D"]],
  ["doas", ["-u"]],
]);
/** Not one whose input is a pipe or a file. */
const loop = /(^|[;&(\n]|\|\|)\s*(while|until)\s+(\w+=\S*\s+)*read\b(?!.*\bdone\s*<)/s;
const readers =
  /^(ba|z|da|k|c|tc|fi|a)?sh$|^busybox$|^(python|node|deno|bun|ruby|irb|perl|php|lua|R|ghci|iex|erl|julia|pwsh)[\d.]*$/;
const containers: ReadonlySet<string> = new Set(["docker", "podman", "kubectl", "lxc"]);
const alwaysRead: ReadonlySet<string> = new Set(
  "ssh mosh telnet psql mysql sqlite3 su script tmux screen gdb xargs".split(" "),
);
