import type { CommandReply } from "../core/chat-state.ts";
import { columns } from "./text/columns.ts";
import { type Command, type CommandHost, commandDefaults } from "./command.ts";
import { clean, short } from "../core/plain-text.ts";
import { minute } from "./text/time.ts";
import { nextTurnSetup } from "./next-turn-setup.ts";

const defaults = { ...commandDefaults, group: "Tools and records", who: "owner" } as const;

const record: Command = {
  ...defaults,
  name: "record",
  args: "[on | off]",
  words: ["on", "off"],
  help: "Keep every frame between Talaria and codex in a file",
  more: "One file for each turn, secrets masked: what a report of a fault needs. Turns on the loop have none.",
  run: async (arg, call, host) => {
    const isOn = call.choices.record === true;
    const wanted = arg.toLowerCase();
    const where = `Files go to ${host.status().home}/recordings; /replay shows one.`;
    if (wanted === "") return { text: `Recording is ${isOn ? "on" : "off"}. ${where}` };
    if (wanted !== "on" && wanted !== "off") return { text: "/record takes on or off." };
    if ((wanted === "on") === isOn) return { text: `Recording is ${wanted} already. Nothing was changed.` };
    if (wanted === "off") return { text: "Turns are not recorded any more.", choices: { record: false } };
    if ((await nextTurnSetup(call, host)).runtime.value !== "codex")
      return {
        text: "Nothing would be recorded: only turns on codex are, and this session runs on the loop. /runtime codex first.",
      };
    return { text: `From the next message on each turn is recorded. ${where}`, choices: { record: true } };
  },
};

/** How many recordings are offered. */
const offered = 20;

const replay: Command = {
  ...defaults,
  name: "replay",
  args: "[file | number]",
  help: "Show a recording as the turn was, or list them",
  more: "A number is the row in the list, which begins with the newest.",
  run: async (arg, _call, host) => {
    if (arg === "") return await offer(host);
    const rows = /^\d{1,3}$/.test(arg) ? await host.recordings.list(offered) : undefined;
    const file = rows === undefined ? arg : rows[Number(arg) - 1]?.file;
    if (file === undefined) return { text: `There is no recording ${arg}. /replay lists them.` };
    return { text: clean((await host.recordings.replay(file)).join("\n")) };
  },
};

async function offer(host: CommandHost): Promise<CommandReply> {
  const rows = await host.recordings.list(offered);
  if (rows.length === 0)
    return { text: "There are no recordings yet. /record on makes one of each turn on codex." };
  const list = rows.map(({ file, at }, row) => [String(row + 1), minute(at), short(file, 200)]);
  return {
    text: `${columns(list)}\n/replay NUMBER shows one of them.`,
    choose: {
      title: "Show a recording",
      command: "/replay",
      options: rows.map(({ file, at }) => ({
        value: file,
        label: short(file.split("/").at(-1) ?? file, 80),
        detail: minute(at),
      })),
    },
  };
}

export const recordCommands: readonly Command[] = [record, replay];
