import type { Client } from "../../core/calls.ts";
import type { CommandReply } from "../../core/chat-state.ts";
import { columns } from "../text/columns.ts";
import type { Run } from "./command.ts";
import { clean, short } from "../../core/plain-text.ts";
import { minute } from "../text/time.ts";
import { nextTurnSetup } from "./next-turn-setup.ts";

export const record: Run = async (arg, call, client) => {
  const isOn = call.choices.record === true;
  const wanted = arg.toLowerCase();
  const { home } = await client.call("host.status", {});
  const where = `${home === undefined ? "" : `Files go to ${home}/recordings; `}/replay shows one.`;
  if (wanted === "") return { text: `Recording is ${isOn ? "on" : "off"}. ${where}` };
  if (wanted !== "on" && wanted !== "off") return { text: "/record takes on or off." };
  if ((wanted === "on") === isOn) return { text: `Recording is ${wanted} already. Nothing was changed.` };
  if (wanted === "off") return { text: "Turns are not recorded any more.", choices: { record: false } };
  if ((await nextTurnSetup(call, client)).runtime.value !== "codex")
    return {
      text: "Nothing would be recorded: only turns on codex are, and this session runs on the loop. /runtime codex first.",
    };
  return { text: `From the next message on each turn is recorded. ${where}`, choices: { record: true } };
};

/** How many recordings are offered. */
const offered = 20;

export const replay: Run = async (arg, _call, client) => {
  if (arg === "") return await offer(client);
  const rows = /^\d{1,3}$/.test(arg) ? await client.call("recordings.list", { limit: offered }) : undefined;
  const file = rows === undefined ? arg : rows[Number(arg) - 1]?.file;
  if (file === undefined) return { text: `There is no recording ${arg}. /replay lists them.` };
  return { text: clean((await client.call("recordings.replay", { file: file })).join("\n")) };
};

async function offer(client: Client): Promise<CommandReply> {
  const rows = await client.call("recordings.list", { limit: offered });
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
