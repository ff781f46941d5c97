import type { InspectedInvocation, Rule } from "./danger.ts";
import { names } from "./names.ts";
import { hasOption, operands, optionValues } from "../shell/shell-invocation.ts";

/** Rules about git. */
export const gitRules: readonly Rule[] = [
  { label: "git-discard", holds: git(discards) },
  { label: "history-rewrite", holds: git(rewrites) },
  { label: "publish", holds: git((verb) => verb === "push" || verb === "send-email") },
  { label: "hijack", holds: git((verb, args, all) => redirectsGit(verb, args, all)) },
  {
    label: "sensitive-write",
    holds: git(
      (verb, args) =>
        verb === "config" && args.some((arg) => /^--(global|system)$/.test(arg)) && !isReading(args),
    ),
  },
];

type GitTest = (verb: string, args: readonly string[], all: readonly string[]) => boolean;

function git(test: GitTest): (look: InspectedInvocation) => boolean {
  return ({ name, args }) => {
    if (name !== "git") return false;
    const { verb, rest } = split(args);
    return test(verb, rest, args);
  };
}

const valued = names("-C -c --git-dir --work-tree --namespace --exec-path --config-env --super-prefix");

function split(args: readonly string[]): { readonly verb: string; readonly rest: readonly string[] } {
  let index = 0;
  while (index < args.length && (args[index] ?? "").startsWith("-"))
    index += valued.has(args[index] ?? "") ? 2 : 1;
  return { verb: (args[index] ?? "").toLowerCase(), rest: args.slice(index + 1) };
}

function discards(verb: string, args: readonly string[]): boolean {
  const [first = ""] = operands(args);
  if (verb === "clean") return !hasOption(args, "n", "dry-run");
  if (verb === "reset") return hasOption(args, "", "hard", "merge", "keep");
  if (verb === "checkout") return hasOption(args, "f", "force") || args.includes("--") || args.includes(".");
  if (verb === "switch") return hasOption(args, "fC", "force", "discard-changes");
  if (verb === "restore") return !hasOption(args, "S", "staged") || hasOption(args, "W", "worktree");
  if (verb === "stash") return /^(drop|clear)$/.test(first);
  if (verb === "branch")
    return hasOption(args, "D") || (hasOption(args, "d", "delete") && hasOption(args, "f", "force"));
  if (verb === "worktree") return first === "remove" && hasOption(args, "f", "force");
  if (verb === "reflog") return /^(expire|delete)$/.test(first);
  if (verb === "gc" || verb === "prune")
    return verb === "prune" || args.some((arg) => arg.startsWith("--prune"));
  if (verb === "rm") return hasOption(args, "rf", "force") && !hasOption(args, "", "cached");
  return (
    (verb === "update-ref" && hasOption(args, "d", "delete")) ||
    (verb === "tag" && hasOption(args, "d", "delete"))
  );
}

function rewrites(verb: string, args: readonly string[]): boolean {
  if (/^(filter-branch|filter-repo|replace)$/.test(verb)) return true;
  if (verb !== "push") return false;
  return (
    hasOption(args, "fd", "force", "force-with-lease", "force-if-includes", "mirror", "delete", "prune") ||
    operands(args).some((ref) => /^[+:]./.test(ref))
  );
}

const steering =
  /^(alias\.|core\.(hookspath|fsmonitor|sshcommand|pager|editor|gitproxy|askpass|worktree)|credential\.|include(if)?\.|filter\.|diff\.(external|.*\.(command|textconv))|merge\..*\.driver|url\.|gpg\..*program|sequence\.editor|protocol\.|uploadpack|receive\.|remote\..*\.(uploadpack|receivepack|proxy)|pager\.|browser\.|http\.(proxy|sslverify)|safe\.directory)/i;

/** Settings that make git start a program of somebody's choice. */
function redirectsGit(verb: string, args: readonly string[], all: readonly string[]): boolean {
  const inline = optionValues(all.slice(0, all.indexOf(verb) + 1), "-c", "--config-env");
  const set =
    verb === "config" && !isReading(args)
      ? args
      : verb === "clone"
        ? optionValues(args, "-c", "--config")
        : [];
  const harmless = /^core\.(pager|editor)=(cat|true|:)?$/i;
  if ([...inline, ...set].some((setting) => steering.test(setting) && !harmless.test(setting))) return true;
  if (all.some((arg) => arg.startsWith("ext::") || /^--(upload-pack|receive-pack|exec)(=|$)/.test(arg)))
    return true;
  if (verb === "submodule" && args.includes("foreach")) return true;
  return verb === "bisect" && args.includes("run");
}

const isReading = (args: readonly string[]): boolean =>
  args.some((arg) => /^(--get.*|-l|--list|get|list)$/.test(arg)) || operands(args).length === 1;
