import { byName } from "./names.ts";
import type { InspectedInvocation, Rule } from "./danger.ts";
import {
  connects,
  deletesFiles,
  deletesTrees,
  forksForEver,
  hidesCode,
  runsUnseenCode,
  spawns,
} from "../shell/inline-code.ts";
import { fedFile, unknown } from "../shell/shell-marks.ts";
import { operands, optionValues } from "../shell/shell-invocation.ts";
import { shells, unwrap } from "../shell/shell-wrappers.ts";

/** Rules about code that a command carries or fetches. */
export const codeRules: readonly Rule[] = [
  {
    label: "inline-code",
    holds: ({ name, code, invocation }) => spawns(name, code) || startsPrograms(name, invocation.args),
  },
  { label: "recursive-delete", holds: ({ code }) => deletesTrees(code) },
  { label: "delete", holds: ({ code }) => deletesFiles(code) },
  {
    label: "obscure",
    holds: ({ code }) => hidesCode(code) || (code !== "" && code.replaceAll(unknown, "").trim() === ""),
  },
  { label: "remote", holds: ({ code }) => connects(code) },
  { label: "kill", holds: ({ code }) => /\b(os|process)\.kill\w*\b|Process\.kill/i.test(code) },
  { label: "fork-bomb", holds: ({ code }) => forksForEver(code) },
  { label: "fed-shell", holds: isFedShell },
  { label: "download-run", holds: ({ invocation }) => runsUnseenCode(invocation) },
];

function isFedShell({ name, invocation }: InspectedInvocation): boolean {
  const file = operands(invocation.args)[0] ?? "";
  if (name === "source" || name === ".") return file.startsWith(fedFile) || /^\/dev\/(stdin|fd\/)/.test(file);
  if (name === "make") return invocation.fed && invocation.args.includes("-");
  if (!shells.has(name) && !/^(python|perl|ruby|node|php|lua)[\d.]*$/.test(name)) return false;
  if (invocation.args.some((arg) => arg.startsWith(fedFile))) return true;
  if (!shells.has(name)) return false;
  if (optionValues(invocation.args, "--rcfile", "--init-file").length > 0) return true;
  return unwrap(invocation, []).scripts.length === 0 && invocation.fed && file === "";
}

/** Options of everyday programs that start another program. */
const starting = byName<RegExp>({
  tar: /^--(to-command|checkpoint-action|use-compress-program|rsh-command|info-script|new-volume-script)/,
  bsdtar: /^--(to-command|use-compress-program)/,
  rsync: /^(-e|--rsh|--rsync-path)/,
  vim: /^\+?:?.*(!|system\(|py3?\s)/,
  vi: /^\+?:?.*!/,
  nvim: /^\+?:?.*(!|system\(|lua\s)/,
  emacs: /^--(eval|execute)/,
  gdb: /^(-ex|--eval-command|-x)/,
  man: /^(-P|--pager|-H)/,
  zip: /^(-TT|--unzip-command)/,
  ssh: /^-o\s*(ProxyCommand|LocalCommand|PermitLocalCommand)/i,
  sed: /^(\d*|.*;\s*)e(\s|$)|\/e$|\/[gp]*e[gp]*$/,
  psql: /\\!/,
  mysql: /\\!|^system\s/,
  sqlite3: /^\.(shell|system)\s/,
  ftp: /^!/,
  nmap: /^--(script|interactive)/,
  socat: /^(exec|system):/i,
  nc: /^-[a-z]*[ec]$/,
  ncat: /^-[a-z]*[ec]$|--(exec|sh-exec)/,
  curl: /^--?(K|config)$/,
  npm: /^(explore)$|^--script-shell/,
  make: /^(--eval|SHELL=|-f\s*-$)/,
  "expect script": /^-c/,
  less: /^\+!/,
  pip: /^--(global|install|build)-option/,
  docker: /^exec$/,
  watch: /^(?!-)/,
  parallel: /./,
});

const startsPrograms = (name: string, args: readonly string[]): boolean =>
  args.some((arg) => starting.get(name)?.test(arg));
