import type { InspectedInvocation } from "./danger.ts";
import { operands, optionValues } from "../shell/shell-invocation.ts";

/** Would it take the guard away: ours, or that of a codex it starts? */
export function switchesOff({ name, args }: InspectedInvocation): boolean {
  if (name === "codex") return opensCodex(args);
  const own = ownArguments(name, args);
  return own !== undefined && opensTalaria(own);
}

function opensCodex(args: readonly string[]): boolean {
  if (args.some((arg) => /^--(dangerously|yolo)/.test(arg))) return true;
  if (optionValues(args, "-s", "--sandbox").includes("danger-full-access")) return true;
  return optionValues(args, "-c", "--config").some(
    (setting) =>
      /^\s*(sandbox_mode|default_permissions)\s*=.*danger-full-access/i.test(setting) ||
      /^\s*approval_policy\s*=\s*["']?never/i.test(setting),
  );
}

/** What Talaria would be called with, however it is started. */
function ownArguments(name: string, args: readonly string[]): readonly string[] | undefined {
  if (name === "talaria") return args;
  if (!/^(node|bun|deno|tsx|npm|pnpm|yarn)$/.test(name)) return undefined;
  const index = args.findIndex((arg) =>
    /(^|\/)talaria$|talaria\/.*main\.(ts|js)$|(^|\/)src\/main\.ts$/.test(arg),
  );
  return index < 0 ? undefined : args.slice(index + 1);
}

function opensTalaria(args: readonly string[]): boolean {
  const words = operands(args);
  const after = (word: string): readonly string[] => words.slice(words.indexOf(word) + 1);
  if (words.includes("config")) return /^(set|unset|edit|import|reset)$/.test(after("config")[0] ?? "");
  if (words.includes("approvals")) return /^(answer|revoke|grant|clear)$/.test(after("approvals")[0] ?? "");
  if (args.some((arg) => /^--(yolo|dangerously)/.test(arg))) return true;
  return args.some(
    (arg, index) => arg === "--approve=all" || (arg.startsWith("--appr") && args[index + 1] === "all"),
  );
}

const reason = "It would end Talaria itself.";

/** Would it end Talaria, alone or with everything else that runs? */
export function endsTalaria(inspected: readonly InspectedInvocation[]): string | undefined {
  const kills = inspected.some(({ name }) => name === "kill" || name === "xargs");
  const searches = inspected.some(
    ({ name, args, code }) => searchers.test(name) && mentionsUs([...args, code]),
  );
  if (kills && searches && inspected.some(({ name }) => name === "kill")) return reason;
  return inspected.some(endsUs) ? reason : undefined;
}

const searchers = /^(pgrep|pidof|ps|grep|egrep|rg|awk|gawk|cat|lsof|ss|netstat|fuser)$/;

const mentionsUs = (texts: readonly string[]): boolean =>
  texts.some((text) => /\btalaria\b|\[t\]alaria|codex app-server/i.test(text));

function endsUs({ name, args, invocation }: InspectedInvocation): boolean {
  if (name === "kill")
    return killsEverything(args) || invocation.fields.some(({ text }) => /^\$?PPID$/.test(text));
  if (/^(pkill|killall|skill|killall5)$/.test(name)) return matchesUs(name, args);
  if (name === "taskkill") return mentionsUs(args) || args.some((arg) => /^node(\.exe)?$/i.test(arg));
  if (name === "loginctl") return args.some((arg) => /^(terminate|kill)-/.test(arg));
  const stops = args.some((arg) => /^(stop|kill|disable|mask|restart|unload|bootout|remove|rm)$/.test(arg));
  return (
    /^(systemctl|service|launchctl|docker|podman|pm2|supervisorctl|tmux)$/.test(name) &&
    stops &&
    mentionsUs(args)
  );
}

/** Process 1, or -1: everything the user owns. */
function killsEverything(args: readonly string[]): boolean {
  const targets = args.filter(
    (arg, index) => !(index === 0 && arg.startsWith("-") && args.length > 1) && arg !== "--",
  );
  return (
    targets.some((arg) => arg === "-1" || arg === "1" || arg === "0") &&
    !(args.length === 1 && args[0] === "-1")
  );
}

function matchesUs(name: string, args: readonly string[]): boolean {
  if (name === "killall5") return true;
  const patterns = operands(args.filter((_, index) => !selects.test(args[index - 1] ?? "")));
  // Everything of a user, a terminal or a group: we are among it.
  if (patterns.length === 0) return args.length > 0;
  return patterns.some((pattern) => {
    const bare = pattern.toLowerCase().replace(/[\^$.*+?()[\]\\|]/g, "");
    return mentionsUs([pattern]) || ourLine.includes(bare.trim());
  });
}

/** Options whose value is no name of a program. */
const selects = /^-[uUGgtPs]$|^--(e?uid|group|terminal|parent|signal|user)$/;

/** What a process list shows of us. */
const ourLine =
  "node bin/talaria node --min-semi-space-size=16 --max-semi-space-size=16 --v8-pool-size=1 src/main.ts node dist/main.js codex app-server";
