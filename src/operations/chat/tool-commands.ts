import type { Client } from "../../core/calls.ts";
import type { DiffOf } from "../../core/host.ts";
import type { ListedTool } from "../../core/tooling.ts";
import { type Run, type CommandCall } from "./command.ts";
import { parseCount } from "./arguments.ts";
import { clean } from "../../core/plain-text.ts";
import { nextTurnSetup } from "./next-turn-setup.ts";
import { toolListText } from "../text/tool-list-text.ts";
import { usageText } from "../text/usage-text.ts";

export const tools: Run = async (arg, call, client) => {
  const [word = "", ...names] = arg.split(/[\s,]+/).filter((part) => part !== "");
  const wanted = word.toLowerCase();
  if (wanted === "") return { text: toolListText(await client.call("tools.list", {})) };
  if (wanted !== "on" && wanted !== "off")
    return { text: "/tools takes nothing, or on or off and names of tools." };
  if (names.length === 0) return { text: `Which? /tools ${wanted} NAME…; /tools lists them.` };
  if (call.by.role !== "owner") return { text: "Only the owner can switch tools. Nothing was changed." };
  return { text: await switchText(names, wanted === "on", call, client) };
};

async function switchText(
  names: readonly string[],
  on: boolean,
  call: CommandCall,
  client: Client,
): Promise<string> {
  const word = on ? "on" : "off";
  const { changed, file, ignoredByCodex } = await client.call("tools.switch", { names, on });
  if (changed.length === 0) return `Already ${word}: ${names.join(", ")}. Nothing was changed.`;
  const done = [
    `Switched ${word}, from the next turn on: ${changed.join(", ")}.`,
    `It is in ${file}.`,
    ...ignoredByCodex,
  ].join("\n");
  const { runtime } = await nextTurnSetup(call, client);
  const onCodex = (await client.call("tools.list", {})).filter(({ runtimes }) => runtimes.includes("codex"));
  const isSeen = onCodex.some(({ name }) => changed.includes(name));
  return isSeen && runtime.value === "codex" ? `${done}\n${newThread}` : done;
}

const newThread =
  "A codex thread keeps the tools that it began with: the next turn begins a new one, with what was said so far.";

/** Names of which some tool would change. */
export function switchable(all: readonly ListedTool[], first: string): readonly string[] {
  if (first !== "on" && first !== "off") return [];
  const some = all.filter(({ off }) => off === (first === "on"));
  return [...new Set(some.flatMap(({ toolset, name }) => [toolset, name]))].toSorted();
}

export const diff: Run = async (arg, call, client) => {
  const of = diffOf(arg.toLowerCase(), call);
  if (typeof of === "string") return { text: of };
  const { text, note } = await client.call("diff.show", of);
  // Without a text the note says why, which need not be that nothing was changed.
  if (text.trim() === "") return { text: clean(note ?? "Nothing was changed.") };
  return { text: clean(note === undefined ? text.trimEnd() : `${text.trimEnd()}\n${note}`) };
};

function diffOf(what: string, { session, cwd }: CommandCall): DiffOf | string {
  if (what === "" || what === "folder") return { what: "folder", cwd };
  if (what !== "turn" && what !== "session") return "/diff takes nothing, turn, or session.";
  if (session === undefined) return "There is no session yet, so no turn has changed anything.";
  return { what, session };
}

export const usage: Run = async (arg, { session }, client) => {
  const days = parseCount(arg, 0, 36_500);
  if (days === undefined) return { text: "/usage takes a number of days." };
  if (days > 0) return { text: usageText(await client.call("usage.report", { days })) };
  if (session === undefined) return { text: "No session yet. /usage 30 shows the last 30 days." };
  return { text: usageText(await client.call("usage.report", { session })) };
};
