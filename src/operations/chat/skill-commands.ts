import { short } from "../../core/plain-text.ts";
import type { CommandReply } from "../../core/chat-state.ts";
import type { Client } from "../../core/calls.ts";
import { findSlash } from "../slash.ts";
import type { CommandCall } from "./command.ts";

/** So many skills go with one message. */
const mostSkills = 5;

/**
 * Every skill is a command: `/deploy the docs` sends the skill and the words behind it. Several may stand before the words.
 * `undefined`: there is no skill of this name.
 */
export async function skillCommand(
  name: string,
  arg: string,
  { cwd }: Pick<CommandCall, "cwd">,
  client: Client,
): Promise<CommandReply | undefined> {
  const first = await client.call("skills.read", { name, cwd });
  if (first === null) return unusableSkill(name, cwd, client);
  const [names, texts] = [[name], [first]];
  let words = arg;
  for (let next = leading(words); next !== undefined; next = leading(words)) {
    if (findSlash(next.name) !== undefined) break;
    const text = await client.call("skills.read", { name: next.name, cwd });
    if (text === null) break;
    if (names.length === mostSkills)
      return {
        text: `At most ${mostSkills} skills go with one message; /${short(next.name, 64)} is one more.`,
      };
    names.push(next.name);
    texts.push(text);
    words = next.rest;
  }
  // The words of the person are the last part alone: what a skill says was not said by them.
  const typed = [...names.map((each) => `/${each}`), words].join(" ").trim();
  const input = [texts.join("\n"), typed].map((text) => ({ type: "text" as const, text }));
  return { text: "", send: { input, whenBusy: "queue" } };
}

/** What there is of this name and cannot be sent. */
async function unusableSkill(name: string, cwd: string, client: Client): Promise<CommandReply | undefined> {
  const skill = (await client.call("skills.list", { cwd })).find((one) => one.name === name);
  if (skill === undefined) return undefined;
  if (skill.state === "untrusted")
    return {
      text: `/${name} is a skill of this project that you have not trusted. On the command line: talaria skills trust`,
    };
  if (skill.state === "archived")
    return { text: `The skill ${name} is archived: nobody used it. See /learned.` };
  return { text: `The skill ${name} cannot be used here: ${short(skill.description, 300)}` };
}

function leading(words: string): { readonly name: string; readonly rest: string } | undefined {
  const match = /^\/([a-z0-9][a-z0-9-]*)(?:\s+([^]*))?$/i.exec(words);
  return match === null ? undefined : { name: (match[1] ?? "").toLowerCase(), rest: match[2] ?? "" };
}
