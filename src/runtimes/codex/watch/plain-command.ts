/** The command as the model gave it: codex runs it in a shell of its own, and says so. */
export function plainCommand(command: string): string {
  const [, inner] = /^\S*\/?(?:ba|z|da|k)?sh -l?c (.+)$/s.exec(command) ?? [];
  if (inner === undefined) return command;
  const quoted = /^'(.*)'$/s.exec(inner)?.[1];
  return quoted === undefined ? inner : quoted.replaceAll(`'\\''`, "'").replaceAll(`'"'"'`, "'");
}

/**
 * Does it read commands from its input? Whoever writes to it then runs something that nobody was asked about, and codex
 * tells of it afterwards.
 */
export function readsCommands(command: string): boolean {
  const words = plainCommand(command).trim().split(/\s+/);
  const at = words.findIndex((word) => !/^(env|exec|command|nohup|\w+=.*)$/.test(word));
  const [program = "", ...rest] = words.slice(Math.max(0, at));
  const name = program.replace(/^.*\//, "");
  if (remote.has(name)) return true;
  if (!readers.test(name)) return false;
  const isInteractive = rest.some((word) => /^-[a-zA-Z]*i|^--interactive$/.test(word));
  return isInteractive || rest.every((word) => word.startsWith("-") && !/^-[a-zA-Z]*[cem]$/.test(word));
}

const readers =
  /^(ba|z|da|k|c|tc|fi|a)?sh$|^busybox$|^(python|node|deno|bun|ruby|irb|perl|php|lua|R|ghci|iex|erl|julia|pwsh)[\d.]*$/;
const remote: ReadonlySet<string> = new Set(["ssh", "telnet", "psql", "mysql", "sqlite3", "su", "script"]);
