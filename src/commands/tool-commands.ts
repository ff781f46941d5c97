import type { DiffOf } from "../core/host.ts";
import type { ListedTool } from "../core/tooling.ts";
import { type Command, type CommandCall, type CommandHost, commandDefaults } from "./command.ts";
import { parseCount } from "./arguments.ts";
import { clean } from "../core/plain-text.ts";
import { nextTurnSetup } from "./next-turn-setup.ts";
import { toolListText } from "./text/tool-list-text.ts";
import { usageText } from "./text/usage-text.ts";

const defaults = { ...commandDefaults, group: "Tools and records" } as const;

const tools: Command = {
  ...defaults,
  name: "tools",
  args: "[on | off] [name…]",
  words: ["on", "off"],
  help: "List what a turn may do, or switch tools on and off",
  more: "A name is that of a tool or of a whole set. It holds for all sessions, from their next turn on.",
  laterWords: async (first, host) => switchable(await host.tools(), first),
  run: async (arg, call, host) => {
    const [word = "", ...names] = arg.split(/[\s,]+/).filter((part) => part !== "");
    const wanted = word.toLowerCase();
    if (wanted === "") return { text: toolListText(await host.tools()) };
    if (wanted !== "on" && wanted !== "off")
      return { text: "/tools takes nothing, or on or off and names of tools." };
    if (names.length === 0) return { text: `Which? /tools ${wanted} NAME…; /tools lists them.` };
    if (!call.owner) return { text: "Only the owner can switch tools. Nothing was changed." };
    return { text: await switchText(names, wanted === "on", call, host) };
  },
};

async function switchText(
  names: readonly string[],
  on: boolean,
  call: CommandCall,
  host: CommandHost,
): Promise<string> {
  const word = on ? "on" : "off";
  const { changed, file, ignoredByCodex } = await host.switchTools(names, on);
  if (changed.length === 0) return `Already ${word}: ${names.join(", ")}. Nothing was changed.`;
  const done = [
    `Switched ${word}, from the next turn on: ${changed.join(", ")}.`,
    `It is in ${file}.`,
    ...ignoredByCodex,
  ].join("\n");
  const { runtime } = await nextTurnSetup(call, host);
  const onCodex = (await host.tools()).filter(({ runtimes }) => runtimes.includes("codex"));
  const isSeen = onCodex.some(({ name }) => changed.includes(name));
  return isSeen && runtime.value === "codex" ? `${done}\n${newThread}` : done;
}

const newThread =
  "A codex thread keeps the tools that it began with: the next turn begins a new one, with what was said so far.";

/** Names of which some tool would change. */
function switchable(all: readonly ListedTool[], first: string): readonly string[] {
  if (first !== "on" && first !== "off") return [];
  const some = all.filter(({ off }) => off === (first === "on"));
  return [...new Set(some.flatMap(({ toolset, name }) => [toolset, name]))].toSorted();
}

const diff: Command = {
  ...defaults,
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
  ...defaults,
  name: "usage",
  aliases: ["cost"],
  args: "[days]",
  help: "Show what this session has used and cost",
  more: "With a number: what all sessions have used in the last days.",
  who: "owner",
  run: async (arg, { session }, host) => {
    const days = parseCount(arg, 0, 36_500);
    if (days === undefined) return { text: "/usage takes a number of days." };
    if (days > 0) return { text: usageText(await host.usage({ days })) };
    if (session === undefined) return { text: "No session yet. /usage 30 shows the last 30 days." };
    return { text: usageText(await host.usage({ session })) };
  },
};

export const toolCommands: readonly Command[] = [tools, diff, usage];
