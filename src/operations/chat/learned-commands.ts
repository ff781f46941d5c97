import type { Client } from "../../core/calls.ts";
import { type Revision, learnedFileName } from "../../core/learning.ts";
import type { CommandReply } from "../../core/chat-state.ts";
import { short } from "../../core/plain-text.ts";
import type { Run } from "./command.ts";
import {
  forgettableText,
  forgettingText,
  learnedListText,
  memoryText,
  revisionText,
  skillsText,
  unforgottenText,
} from "../text/learned-text.ts";
import { errorText } from "../text/error-text.ts";
import { type Since, parseSince } from "../text/since.ts";

const defaultSince = "7d";
const mostListed = 50;

export const learned: Run = async (arg, call, client) => {
  const [word = "", ...rest] = arg.split(/\s+/).filter((part) => part !== "");
  const act = actions[word.toLowerCase()];
  if (act !== undefined && rest.length === 0 && word !== "unforget")
    return { text: `/learned ${word} needs ${word === "forget" ? "a text" : "an id"} after it.` };
  try {
    if (word.toLowerCase() === "forget") return await forget(client, arg.slice(word.length).trim());
    if (act !== undefined) return { text: await act(client, arg.slice(word.length).trim(), rest) };
    if (rest.length > 0)
      return { text: `/learned takes nothing, a time like ${defaultSince}, or ${actionsText}.` };
    return await list(parseSince(word === "" ? defaultSince : word, call.now), client);
  } catch (error) {
    return { text: errorText(error) };
  }
};

type Action = (client: Client, text: string, words: readonly string[]) => Promise<string>;

const actions: Readonly<Record<string, Action>> = {
  show: (client, _text, ids) =>
    each(ids, async (id) => revisionText(await client.call("learned.show", { id }), "/learned"), "\n\n"),
  approve: (client, _text, ids) =>
    each(
      ids,
      async (id) => `Accepted: ${short((await client.call("learned.approve", { id })).summary, 200)}.`,
    ),
  reject: (client, _text, ids) =>
    each(
      ids,
      async (id) => `Rejected: ${short((await client.call("learned.reject", { id })).summary, 200)}.`,
    ),
  revert: (client, _text, ids) =>
    each(ids, async (id) => {
      const { id: done, file } = await client.call("learned.revert", { id });
      return `Taken back, as ${done}: ${short(learnedFileName(file), 200)}.`;
    }),
  forget: async (client, text) => (await forget(client, text)).text,
  unforget: async (client, text) =>
    unforgottenText(await client.call("learned.unforget", text === "" ? {} : { text })),
};

/** Shows what would go; done only when it is said again with `--yes`, or chosen. */
async function forget(client: Client, text: string): Promise<CommandReply> {
  const sure = /^--yes\s+/i.exec(text)?.[0];
  if (sure !== undefined)
    return {
      text: forgettingText(
        await client.call("learned.forget", { text: text.slice(sure.length) }),
        "/learned",
      ),
    };
  if (text.toLowerCase() === "--no") return { text: "Nothing was forgotten." };
  const would = await client.call("learned.forgettable", { text });
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

async function list(since: Since, client: Client): Promise<CommandReply> {
  const pending = await client.call("learned.list", { limit: mostListed, states: ["proposed"] });
  const rows = await client.call("learned.list", { limit: mostListed, since: since.at });
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
export async function learnedIds(act: string, client: Client): Promise<readonly string[]> {
  const states = { approve: ["proposed"], reject: ["proposed"], revert: ["active"] } as const;
  if (!(act in actions) || act === "forget") return [];
  const meant = act === "show" ? {} : { states: states[act as keyof typeof states] };
  return (await client.call("learned.list", { limit: mostListed, ...meant })).map(({ id }) => id);
}

export const memory: Run = async (_arg, { cwd, now }, client) => {
  const pending = await client.call("learned.list", {
    limit: mostListed,
    states: ["proposed"],
    kind: "memory",
  });
  return { text: memoryText(await client.call("memory.show", { cwd }), pending.length, now) };
};

export const skills: Run = async (_arg, { cwd, now }, client) => ({
  text: skillsText(await client.call("skills.list", { cwd }), now),
});

export const refine: Run = async (_arg, { session }, client) => ({
  text:
    session === undefined
      ? "Nothing was said here yet, so there is nothing to learn from."
      : await client.call("sessions.refine", { session }),
});
