import { byName } from "../policy/names.ts";
import { type Invocation, operands, optionValues } from "./shell-invocation.ts";

/** Code that an invocation gives an interpreter on its command line or as input; `""` when there is none. */
export function codeOf({ name, args, stdin, fed }: Invocation): string {
  const options = interpreters.get(interpreterOf(name));
  if (options === undefined) return "";
  if (name.endsWith("awk")) return operands(args)[0] ?? "";
  const code = options.flatMap((option) => clustered(args, option)).join("\n");
  if (code !== "") return code;
  const file = operands(args)[0];
  return fed && (file === undefined || file === "-") ? (stdin ?? "") : "";
}

/** Reads its program from another command, and nobody can tell what that prints. */
export const runsUnseenCode = ({ name, args, stdin, fed }: Invocation): boolean =>
  interpreters.has(interpreterOf(name)) &&
  !name.endsWith("awk") &&
  fed &&
  stdin === undefined &&
  args.every((arg) => arg === "-");

const interpreters = byName<readonly string[]>({
  python: ["-c"],
  perl: ["-e", "-E"],
  "ruby lua rscript osascript": ["-e"],
  node: ["-e", "-p", "--eval", "--print", "-pe"],
  bun: ["-e", "--eval", "-p"],
  deno: ["eval"],
  php: ["-r", "-B", "-R", "-E"],
  "tclsh awk gawk mawk nawk": [],
});

/** `python3.12` is python. */
const interpreterOf = (name: string): string =>
  name.replace(/^(pypy|python|perl|ruby|node|php|lua)[\d.]*w?$/, "$1").replace("pypy", "python");

/** `-e code`, also behind other letters, as in `perl -pie code`. */
function clustered(args: readonly string[], option: string): readonly string[] {
  if (option === "eval") return args[0] === "eval" ? [args[1] ?? ""] : [];
  const letter = /^-[a-zA-Z]$/.test(option) ? option.charAt(1) : undefined;
  const behind = args.flatMap((arg, index) =>
    letter !== undefined && new RegExp(`^-[a-zA-Z0-9]+${letter}$`).test(arg) ? [args[index + 1] ?? ""] : [],
  );
  return [...optionValues(args, option), ...behind];
}

const spawning =
  /\b(?:os\.(?:system|popen|exec\w*|spawn\w*|posix_spawn)|subprocess|pty\.spawn|child_process|execSync|spawnSync|execFile\w*|shell_exec|passthru|proc_open|popen|system|exec|spawn|qx|Open3|os\.execute|do shell script|Deno\.Command|Bun\.spawn|process\.binding|getline)\b|\bexec[lv]p?e?\s*\(/i;

export function spawns(name: string, code: string): boolean {
  if (code === "") return false;
  if (spawning.test(code)) return true;
  if (name.endsWith("awk")) return /\|\s*"|"\s*\|/.test(code);
  return /^(perl|ruby|php)/.test(name) && (code.includes("`") || /%x[({[]/.test(code));
}

/** The texts in the code that a shell might get, one by one and, for lists of arguments, all in a row. */
export function codeScripts(name: string, code: string): readonly string[] {
  if (!spawns(name, code)) return [];
  const texts = literalsOf(code);
  return [...texts.filter((text) => text.length > 1), texts.join(" ")];
}

const writing =
  /\bopen\s*\(|\bwrite|append|unlink|remove|rename|replace|truncate|rmtree|chmod|chown|symlink|copy|move|dump|rmSync|mkdir|put_contents|File\.|spew|unlinkSync|\brm\b|>/i;

/** The paths in code that writes something. */
export function codeWrites(name: string, code: string): readonly string[] {
  if (code === "" || !(writing.test(code) || spawns(name, code))) return [];
  if (/\bopen\s*\([^)]{0,300}\)\s*\.read/.test(code) && !/['"][wax+]/.test(code)) return [];
  return literalsOf(code)
    .map((text) => text.replace(/^[+<>|\s]{1,4}/, ""))
    .filter((text) => /^[~/.]?[\w.~-]*\/[^\s]*$/.test(text) && text.length < 4096);
}

/** Quoted texts, in order; nothing longer than a command may be. */
function literalsOf(code: string): readonly string[] {
  const found: string[] = [];
  let at = 0;
  while (at < code.length && found.length < 500) {
    const quoteMark = code.charAt(at);
    at++;
    if (quoteMark !== "'" && quoteMark !== '"' && quoteMark !== "`") continue;
    let text = "";
    while (at < code.length && code.charAt(at) !== quoteMark) {
      if (code.charAt(at) === "\\") at++;
      text += code.charAt(at);
      at++;
    }
    at++;
    if (text !== "") found.push(text);
  }
  return found;
}

export const deletesTrees = (code: string): boolean =>
  /\brmtree\b|\brm_rf?\b|remove_tree|recursive\s*:\s*true|rimraf|remove_dir_all/i.test(code) &&
  /\brm|rimraf|remove/i.test(code);

export const deletesFiles = (code: string): boolean =>
  /\b(?:unlink\w*|os\.remove|os\.rmdir|rmdir\w*|rmSync|fs\.rm|File\.delete|FileUtils\.rm\w*)\b|\.unlink\s*\(|\.rmdir\s*\(/i.test(
    code,
  );

/** Code that hides what it does. */
export const hidesCode = (code: string): boolean =>
  /\b(?:eval|exec|compile|__import__|b64decode|fromhex|unhexlify|codecs|marshal|fromCharCode|atob|base64_decode|decode64|getattr|gzinflate|str_rot13)\b|\bpack\s*\(?\s*['"]|\bchr\s*\(|from\s*\([^)]{0,200}['"](?:base64|hex)|global(?:This)?\s*\[/i.test(
    code,
  );

export const connects = (code: string): boolean =>
  /\bsocket\b|net\.connect|TCPSocket|IO::Socket|fsockopen|\/dev\/(?:tcp|udp)\/|\/inet\/(?:tcp|udp)/i.test(
    code,
  );

export const forksForEver = (code: string): boolean =>
  /\bfork\s*(?:\(\s*\))?\s*while\b|\bwhile\b[^;]{0,40}\bfork\b|loop\s*\{\s*fork/i.test(code);
