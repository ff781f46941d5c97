import type { Check } from "../core/host.ts";
import type { Command } from "./command.ts";
import { usageText } from "./usage-text.ts";
import { compressAsked } from "./compress-words.ts";
import { inWords } from "./refused.ts";

const everywhere = { aliases: [], args: "", where: "everywhere", busy: "allowed", who: "anyone" } as const;

/** Every slash command there is. */
export const commands: readonly Command[] = [
  {
    ...everywhere,
    name: "help",
    aliases: ["?"],
    args: "[command]",
    help: "List the commands, or explain one",
    run: async (arg, { surface }) => ({ text: helpText(arg.replace(/^\//, ""), surface) }),
  },
  {
    ...everywhere,
    name: "new",
    aliases: ["reset", "clear"],
    help: "Start a new session; the present one is kept",
    busy: "refused",
    run: async () => ({ text: "A new session starts with your next message.", session: null }),
  },
  {
    ...everywhere,
    name: "sessions",
    aliases: ["history"],
    args: "[number]",
    help: "List the latest sessions",
    who: "owner",
    run: async (arg, { session }, host) => {
      const rows = await host.sessions.list({ limit: Math.min(Number.parseInt(arg, 10) || 10, 100) });
      if (rows.length === 0) return { text: "There are no sessions yet." };
      return {
        text: rows
          .map(({ id, updatedAt, title, preview, cwd }) => {
            const mark = id === session ? "*" : " ";
            return `${mark} ${id}  ${new Date(updatedAt).toISOString().slice(0, 16)}  ${title ?? preview?.replaceAll(/\s+/g, " ").slice(0, 60) ?? cwd}`;
          })
          .join("\n"),
      };
    },
  },
  {
    ...everywhere,
    name: "status",
    help: "Show session, model, runtime and profile",
    run: async (_arg, { session, cwd }, host) => {
      const { version, model, provider, runtime, profile, home } = host.status();
      const rows = {
        talaria: version,
        session: session ?? "none yet",
        model: `${model} (${provider})`,
        runtime,
        cwd,
        profile,
        home,
      };
      return {
        text: Object.entries(rows)
          .map(([name, value]) => `${name.padEnd(8)} ${value}`)
          .join("\n"),
      };
    },
  },
  {
    ...everywhere,
    name: "doctor",
    help: "Check the installation, with the next step for whatever is wrong",
    who: "owner",
    run: async (_arg, _context, host) => ({ text: (await host.checks()).map(checkLine).join("\n") }),
  },
  {
    ...everywhere,
    name: "approvals",
    help: "Show what asks, what is allowed beforehand, and what waits for an answer",
    who: "owner",
    run: async (_arg, _context, { approvals }) => {
      const grants = await approvals.grants();
      const pending = await approvals.list({ limit: 20, pending: true });
      const standing = grants.map(({ id, scope, summary }) => `  ${id}  ${scope}  ${summary}`);
      const waiting = pending.map(({ id, question }) => `  ${id}  ${question.summary}`);
      return {
        text: [
          ...(await approvals.rules()),
          standing.length === 0 ? "Nothing is allowed beforehand." : "Allowed beforehand:",
          ...standing,
          ...(waiting.length === 0 ? [] : ["Waits for an answer:", ...waiting]),
        ].join("\n"),
      };
    },
  },
  {
    ...everywhere,
    name: "compress",
    aliases: ["compact"],
    args: "[focus | undo | pin LINE | unpin NUMBER]",
    help: "Give the model a summary of the older messages, which are kept; undo takes it back, pin keeps a line word for word",
    busy: "refused",
    run: async (arg, { session }, host) => {
      if (session === undefined) return { text: "There is nothing to shorten: no session has begun." };
      return { text: await host.compress(session, compressAsked(arg)).catch(inWords) };
    },
  },
  {
    ...everywhere,
    name: "usage",
    args: "[days]",
    help: "Show what this session has used and cost, or with a number the last days",
    who: "owner",
    run: async (arg, { session }, host) => {
      const days = Math.min(Number.parseInt(arg, 10) || 0, 36_500);
      if (days > 0) return { text: usageText(await host.usage({ days })) };
      if (session === undefined) return { text: "No session yet. /usage 30 shows the last 30 days." };
      return { text: usageText(await host.usage({ session })) };
    },
  },
  {
    ...everywhere,
    name: "quit",
    aliases: ["exit", "q"],
    help: "Leave; the session is kept",
    where: ["cli", "tui"],
    run: async () => ({ text: "", quit: true }),
  },
];

export const checkLine = ({ name, ok, detail, next }: Check): string =>
  `${ok ? "ok  " : "FAIL"} ${name}: ${detail}${next === undefined ? "" : `\n     → ${next}`}`;

export const isOffered = (command: Command, surface: string): boolean =>
  command.where === "everywhere" || command.where.includes(surface);

export const findCommand = (name: string): Command | undefined =>
  commands.find((command) => command.name === name || command.aliases.includes(name));

function helpText(name: string, surface: string): string {
  const one = name === "" ? undefined : findCommand(name);
  if (name !== "" && one === undefined) return `There is no command /${name}. /help lists them.`;
  if (one !== undefined) {
    const also =
      one.aliases.length > 0 ? ` (also ${one.aliases.map((alias) => `/${alias}`).join(", ")})` : "";
    return `${usage(one)}${also}\n${one.help}.`;
  }
  const offered = commands.filter((command) => isOffered(command, surface));
  const width = Math.max(...offered.map((command) => usage(command).length));
  return offered.map((command) => `${usage(command).padEnd(width)}  ${command.help}`).join("\n");
}

const usage = ({ name, args }: Command): string => `/${name}${args === "" ? "" : ` ${args}`}`;
