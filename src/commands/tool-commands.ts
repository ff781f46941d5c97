import type { DiffOf } from "../core/host.ts";
import type { ListedTool } from "../core/tooling.ts";
import { columns } from "./columns.ts";
import { type Command, type CommandCall, ordinary } from "./command.ts";
import { numberWord } from "./number-word.ts";
import { clean, short } from "../core/plain-text.ts";
import { usageText } from "./usage-text.ts";

const usual = { ...ordinary, group: "Tools and records" } as const;

const tools: Command = {
  ...usual,
  name: "tools",
  help: "List what a turn may do, and on which runtime",
  run: async (_arg, _call, host) => {
    const all = await host.tools();
    if (all.length === 0) return { text: "There are no tools." };
    const usable = all.filter(({ unavailable }) => unavailable === undefined);
    const missing = all.filter(({ unavailable }) => unavailable !== undefined);
    return {
      text: [
        ...(usable.length === 0
          ? []
          : [columns([["tool", "effect", "runtimes", "about"], ...usable.map(toolRow)])]),
        ...(missing.length === 0 ? [] : ["Not usable here:"]),
        ...missing.map(({ name, unavailable }) => `  ${short(name, 60)}: ${short(unavailable ?? "", 200)}`),
        "Codex brings its own tools for commands and files.",
      ].join("\n"),
    };
  },
};

const toolRow = ({ name, effect, runtimes, about }: ListedTool): readonly string[] => [
  short(name, 60),
  effect,
  runtimes.join(", "),
  short(about, 80),
];

const diff: Command = {
  ...usual,
  name: "diff",
  args: "[turn | session]",
  words: ["turn", "session"],
  help: "Show what was changed in the folder",
  more: "Since its last commit, by anybody; or only what the last turn or this session changed.",
  who: "owner",
  run: async (arg, call, host) => {
    const of = diffOf(arg.toLowerCase(), call);
    if (typeof of === "string") return { text: of };
    const { text, note } = await host.diff(of);
    // Without a text the note says why, which need not be that nothing was changed.
    if (text.trim() === "") return { text: clean(note ?? "Nothing was changed.") };
    return { text: clean(note === undefined ? text.trimEnd() : `${text.trimEnd()}\n${note}`) };
  },
};

function diffOf(what: string, { session, cwd }: CommandCall): DiffOf | string {
  if (what === "" || what === "folder") return { what: "folder", cwd };
  if (what !== "turn" && what !== "session") return "/diff takes nothing, turn, or session.";
  if (session === undefined) return "There is no session yet, so no turn has changed anything.";
  return { what, session };
}

const usage: Command = {
  ...usual,
  name: "usage",
  aliases: ["cost"],
  args: "[days]",
  help: "Show what this session has used and cost",
  more: "With a number: what all sessions have used in the last days.",
  who: "owner",
  run: async (arg, { session }, host) => {
    const days = numberWord(arg, 0, 36_500);
    if (days === undefined) return { text: "/usage takes a number of days." };
    if (days > 0) return { text: usageText(await host.usage({ days })) };
    if (session === undefined) return { text: "No session yet. /usage 30 shows the last 30 days." };
    return { text: usageText(await host.usage({ session })) };
  },
};

export const toolCommands: readonly Command[] = [tools, diff, usage];
