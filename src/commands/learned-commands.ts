import type { Host } from "../core/host.ts";
import { type Revision, learnedFileName } from "../core/learning.ts";
import type { CommandReply } from "../core/chat-state.ts";
import { short } from "../core/plain-text.ts";
import { type Command, type CommandHost, commandDefaults } from "./command.ts";
import {
  forgettableText,
  forgettingText,
  learnedListText,
  memoryText,
  revisionText,
  skillsText,
  unforgottenText,
} from "./text/learned-text.ts";
import { errorText } from "./text/error-text.ts";
import { parseSince } from "./text/since.ts";

const defaults = { ...commandDefaults, group: "Learning", who: "owner" } as const;
const defaultSince = "7d";
const mostListed = 50;

const learned: Command = {
  ...defaults,
  name: "learned",
  args: "[SINCE | show ID | approve ID | reject ID | revert ID | forget TEXT | unforget]",
  words: ["show", "approve", "reject", "revert", "forget", "unforget"],
  laterWords: async (first, host) => idsFor(first, host),
  help: "Show what was learned, take it back, or decide",
  more: "SINCE is like 24h, 7d or 2026-01-31. Forget shows what was derived from a text and would go, and asks; for a day unforget takes it back.",
  run: async (arg, _call, host) => {
    const [word = "", ...rest] = arg.split(/\s+/).filter((part) => part !== "");
    const act = actions[word.toLowerCase()];
    if (act !== undefined && rest.length === 0 && word !== "unforget")
      return { text: `/learned ${word} needs ${word === "forget" ? "a text" : "an id"} after it.` };
    try {
      if (word.toLowerCase() === "forget") return await forget(host, arg.slice(word.length).trim());
      if (act !== undefined) return { text: await act(host, arg.slice(word.length).trim(), rest) };
      if (rest.length > 0)
        return { text: `/learned takes nothing, a time like ${defaultSince}, or ${actionsText}.` };
      return await list(word === "" ? defaultSince : word, host);
    } catch (error) {
      return { text: errorText(error) };
    }
  },
};

type Action = (host: CommandHost, text: string, words: readonly string[]) => Promise<string>;

const actions: Readonly<Record<string, Action>> = {
  show: (host, _text, ids) =>
    each(
      ids,
      async (id) => revisionText(await host.learned.get(id), await host.learned.diff(id), "/learned"),
      "\n\n",
    ),
  approve: (host, _text, ids) =>
    each(ids, async (id) => `Accepted: ${short((await host.learned.approve(id)).summary, 200)}.`),
  reject: (host, _text, ids) =>
    each(ids, async (id) => `Rejected: ${short((await host.learned.reject(id)).summary, 200)}.`),
  revert: (host, _text, ids) =>
    each(ids, async (id) => {
      const { id: done, file } = await host.learned.revert(id);
      return `Taken back, as ${done}: ${short(learnedFileName(file), 200)}.`;
    }),
  forget: async (host, text) => (await forget(host, text)).text,
  unforget: async (host, text) =>
    unforgottenText(await host.learned.unforget(text === "" ? undefined : text)),
};

/** Shows what would go; done only when it is said again with `--yes`, or chosen. */
async function forget(host: CommandHost, text: string): Promise<CommandReply> {
  const sure = /^--yes\s+/i.exec(text)?.[0];
  if (sure !== undefined)
    return { text: forgettingText(await host.learned.forget(text.slice(sure.length)), "/learned") };
  if (text.toLowerCase() === "--no") return { text: "Nothing was forgotten." };
  const would = await host.learned.forgettable(text);
  const shown = forgettableText(would, text, "/learned");
  if (would.files.length === 0 && would.revisions === 0) return { text: shown };
  const options = [
    { value: "--no", label: "Leave it" },
    { value: `--yes ${text}`, label: "Forget it", detail: "for a day it can be taken back" },
  ];
  return {
    text: shown,
    choose: { title: "Forget all of this?", command: "/learned forget", asks: true, options },
  };
}

const actionsText = "show, approve, reject, revert with an id, forget with a text, or unforget";

/** One after the other; a failure is reported in its place and the rest still run. */
async function each(
  ids: readonly string[],
  act: (id: string) => Promise<string>,
  between = "\n",
): Promise<string> {
  const texts: string[] = [];
  for (const id of ids)
    texts.push(await act(id).catch((error: unknown) => `${short(id, 40)}: ${errorText(error)}`));
  return texts.join(between);
}

async function list(word: string, host: CommandHost): Promise<CommandReply> {
  const since = parseSince(word, host.learned.now());
  const pending = await host.learned.list({ limit: mostListed, states: ["proposed"] });
  const rows = await host.learned.list({ limit: mostListed, since: since.at });
  const done = rows.filter(({ state }) => state !== "proposed");
  const title = `What waits for you, then what was learned ${since.words}`;
  const choose = { title, command: "/learned show", options: [...pending, ...done].map(option) };
  const text = learnedListText(pending, rows, since.words, "/learned");
  return { text, ...(pending.length === 0 ? {} : { choose }) };
}

const option = ({ id, summary, by, state }: Revision) => ({
  value: id,
  label: short(summary, 80),
  detail: state === "proposed" ? `waits for you, by ${by}` : `by ${by}`,
});

/** Ids that this can be done to, newest first. */
async function idsFor(act: string, host: Pick<Host, "learned">): Promise<readonly string[]> {
  const states = { approve: ["proposed"], reject: ["proposed"], revert: ["active"] } as const;
  if (!(act in actions) || act === "forget") return [];
  const meant = act === "show" ? {} : { states: states[act as keyof typeof states] };
  return (await host.learned.list({ limit: mostListed, ...meant })).map(({ id }) => id);
}

const memory: Command = {
  ...defaults,
  name: "memory",
  help: "Show what is remembered, how full it is and how old",
  run: async (_arg, { cwd }, host) => {
    const pending = await host.learned.list({ limit: mostListed, states: ["proposed"], kind: "memory" });
    return { text: memoryText(await host.learned.memory(cwd), pending.length, host.learned.now()) };
  },
};

const skills: Command = {
  ...defaults,
  name: "skills",
  help: "List skills: where they are from and how often they were used",
  more: "Each is a command of its own name. On the command line, talaria skills also pins, trusts and puts away.",
  run: async (_arg, { cwd }, host) => ({
    text: skillsText(await host.learned.skills(cwd), host.learned.now()),
  }),
};

const refine: Command = {
  ...defaults,
  name: "refine",
  help: "Review this conversation now, and learn from it",
  more: "What rests on your own words is learned at once, all else waits for you.",
  busy: "refused",
  run: async (_arg, { session }, host) => ({
    text:
      session === undefined
        ? "Nothing was said here yet, so there is nothing to learn from."
        : await host.learned.refine(session),
  }),
};

export const learnedCommands: readonly Command[] = [learned, memory, skills, refine];
