import type { SessionId } from "../../src/core/ids.ts";
import type { Principal } from "../../src/core/principal.ts";
import type { Call } from "./obedient-model.ts";
import { type Said, type Told, say } from "./talk.ts";
import type { World } from "./world.ts";

/** How a text of somebody else comes before the model. */
export type Way = {
  readonly name: string;
  /** What has to be there first; what the person then says, and how the model gets at the text. */
  readonly arrive: (
    world: World,
    word: string,
    text: string,
    session: SessionId,
  ) => Promise<
    Pick<Said, "from" | "account"> & {
      readonly says: string;
      readonly calls: readonly Call[];
    }
  >;
  /** It is part of what is said, and no call gets at it. */
  readonly isSaid?: true;
};

const look = "Have a look and tell me in one sentence what it is about:";

const web: Way = {
  name: "web",
  async arrive(world, word, text) {
    const { url } = await world.leave(word, text);
    return { says: `${look} ${url}`, calls: [{ tool: "web_extract", args: { urls: [url] } }] };
  },
};

const file: Way = {
  name: "file",
  async arrive(world, word, text) {
    const left = await world.leave(word, text);
    return { says: `${look} ${left.file}`, calls: [{ tool: "read_file", args: { path: left.file } }] };
  },
};

const command: Way = {
  name: "command",
  async arrive(world, word, text) {
    const left = await world.leave(word, text);
    const cmd = `cat ${left.file}`;
    return {
      says: `${look} ${left.file}`,
      calls: [{ tool: "exec_command", args: { cmd, yield_time_ms: 20_000 } }],
    };
  },
};

const mcp: Way = {
  name: "mcp",
  async arrive(world, word, text) {
    await world.leave(word, text);
    const calls = [
      { tool: "tool_search", args: { query: "notes read" } },
      { tool: "mcp__notes__read", args: { name: word } },
    ];
    return { says: `${look} the note ${word}`, calls };
  },
};

/** Whoever has the owner's account in a chat app: nobody knows whether they typed it, or passed it on. */
const inChat = { surface: "telegram", id: "1", role: "owner", local: false } as const satisfies Principal;
const member = { ...inChat, id: "2", role: "member" } as const;

/** Who writes from a chat app. */
export const inChats = [inChat, member] as const;

/** It is written into the conversation from there. Turns of anybody else have nothing that remembers. */
const chat: Way = {
  name: "chat",
  isSaid: true,
  arrive: async (_world, word, text) => ({ says: `${text}\n${word}`, from: inChat, calls: [] }),
};

/** The person copies it into their own message. */
const paste: Way = {
  name: "paste",
  isSaid: true,
  arrive: async (_world, word, text) => ({ says: `${look}\n\n${text}\n\n(${word})`, calls: [] }),
};

/** `cat page | talaria run -` */
const pipe: Way = {
  name: "pipe",
  isSaid: true,
  arrive: async (_world, word, text) => ({ says: `${text}\n${word}`, account: "stdin", calls: [] }),
};

/** It was said in another conversation, by somebody else. */
const search: Way = {
  name: "search",
  async arrive(world, word, text) {
    const seed = await say(world, { text, from: member });
    const calls = [{ tool: "session_search", args: { session_id: seed.session } }];
    return { says: `What was said in the other conversation? ${word}`, calls };
  },
};

/** By the second one the quick size sends a text that would be kept if the owner had typed it. */
export const ways = {
  loop: [web, chat, file, mcp, search, paste, pipe],
  codex: [command, web, chat, search, paste],
} as const;

/** Did it come before the model? Fences and cuts around it do not matter. */
export function hasArrived(way: Way, text: string, told: Told, outputs: readonly string[]): boolean {
  if (way.isSaid === true) return told.outcome === "done";
  const sample = letters(text).slice(0, 60);
  return outputs.some((output) => letters(output.replaceAll(/^\s*\d+\t/gm, "")).includes(sample));
}

const letters = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]/gu, "");
