import type { Client } from "../../../core/calls.ts";
import type { NewSchedule } from "../../../core/work/work.ts";
import { errorText } from "../../text/error-text.ts";
import {
  askedRunText,
  madeText,
  runsText,
  schedulesText,
  statusText,
  whyText,
} from "../../text/work-text.ts";
import type { CommandCall, Run } from "../command.ts";

const said = async (text: Promise<string>): Promise<{ readonly text: string }> => ({
  text: await text.catch(errorText),
});

export const cron: Run = (arg, call, client) => {
  const [, word = "", rest = ""] = /^(\S*)\s*([\s\S]*)$/.exec(arg) ?? [];
  const act = actions[word.toLowerCase() || "list"];
  return said(act === undefined ? Promise.resolve(usage) : act(client, rest.trim(), call));
};

const usage =
  '/cron takes nothing, list, add "WHEN" TEXT, pause NAME, resume NAME, run NAME, remove NAME, runs [NAME] or why NAME.';

type Act = (client: Client, rest: string, call: CommandCall) => Promise<string>;

const actions: Readonly<Record<string, Act>> = {
  list: async (client) => schedulesText(await client.call("cron.list", {})),
  async add(client, rest, call) {
    const wanted = newSchedule(rest, call);
    return wanted === undefined ? usage : madeText(await client.call("cron.add", wanted));
  },
  pause: async (client, id) => `Paused: “${(await client.call("cron.pause", { id })).name}”.`,
  resume: async (client, id) => madeText(await client.call("cron.resume", { id })),
  run: async (client, id) => askedRunText(await client.call("cron.run", { id })),
  remove: async (client, id) => `Removed: “${(await client.call("cron.remove", { id })).name}”.`,
  runs: async (client, id) =>
    runsText(await client.call("cron.runs", { limit: 10, ...(id === "" ? {} : { id }) })),
  why: explained,
};

/** In the folder of the chat, on what was chosen there. */
function newSchedule(rest: string, { cwd, choices }: CommandCall): NewSchedule | undefined {
  const [, quoted, plain, words = ""] = /^(?:["“]([^"”]+)["”]|(\S+))\s+(\S[\s\S]*)$/.exec(rest) ?? [];
  const { text, options } = withoutOptions(words);
  const when = quoted ?? plain;
  if (when === undefined) return undefined;
  const { runtime, model } = choices;
  return {
    when,
    text,
    cwd,
    ...options,
    ...(runtime === undefined ? {} : { runtime }),
    ...(model === undefined ? {} : { model }),
  };
}

type Option = "name" | "deliver" | "zone";

/** Those that stand behind the text, as at the command line. */
function withoutOptions(words: string): { text: string; options: Pick<NewSchedule, Option> } {
  const last = /^([\s\S]*\S)\s+--(name|deliver|zone)[ =](?:["“]([^"”]+)["”]|(\S+))\s*$/.exec(words);
  if (last === null) return { text: words, options: {} };
  const [, before = "", option = "", quoted, plain] = last;
  const { text, options } = withoutOptions(before);
  return { text, options: { ...options, [option]: quoted ?? plain } };
}

export const work: Run = (arg, _call, client) => {
  const word = arg.toLowerCase() || "status";
  const name = (["status", "pause", "resume"] as const).find((each) => each === word);
  if (name === undefined) return Promise.resolve({ text: "/work takes nothing, status, pause or resume." });
  return said(client.call(`work.${name}`, {}).then(statusText));
};

export const why: Run = (arg, _call, client) =>
  said(
    arg === ""
      ? Promise.resolve("/why takes the id of what you want to know about.")
      : explained(client, arg),
  );

async function explained(client: Client, id: string): Promise<string> {
  return whyText(await client.call("why.explain", { id }));
}
