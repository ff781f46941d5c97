import { messageText } from "../core/messages.ts";
import { short } from "../core/plain-text.ts";
import type { StoredMessage } from "../core/session.ts";
import { parseCompress, parseCount } from "./arguments.ts";
import { type Command, commandDefaults } from "./command.ts";
import { resume, resumeHint } from "./resume.ts";
import { contextText } from "./text/context-text.ts";
import { sessionRows } from "./text/session-rows.ts";

const defaults = { ...commandDefaults, group: "Session" } as const;

const newSession: Command = {
  ...defaults,
  name: "new",
  aliases: ["reset", "clear"],
  args: "[title]",
  help: "Start a new session; the present one is kept",
  busy: "refused",
  run: async (arg, call) => {
    const back = resumeHint(call);
    if (arg === "") return { text: `A new session starts with your next message.${back}`, session: null };
    const title = short(arg, 200);
    return { text: `A new session "${title}" starts with your next message.${back}`, session: null, title };
  },
};

const sessions: Command = {
  ...defaults,
  name: "sessions",
  args: "[number]",
  help: "List the latest sessions",
  more: "Ten of them unless a number is given. The number of a row is what /resume takes.",
  who: "owner",
  run: async (arg, { session }, host) => {
    const limit = parseCount(arg, 10, 100);
    if (limit === undefined) return { text: "/sessions takes a number from 1 to 100." };
    const rows = await host.sessions.list({ limit });
    return { text: rows.length === 0 ? "There are no sessions yet." : sessionRows(rows, session) };
  },
};

const title: Command = {
  ...defaults,
  name: "title",
  aliases: ["rename"],
  args: "[text]",
  help: "Show what this session is called, or call it something else",
  run: async (arg, { session }, host) => {
    if (session === undefined)
      return {
        text: "There is no session yet: it begins with your first message. /new TITLE names it beforehand.",
      };
    const { title: before } = await host.sessions.get(session);
    const wanted = arg.replaceAll(/\s+/g, " ");
    if (wanted === "" && before === undefined) return { text: "This session has no title yet." };
    if (wanted === "") return { text: `This session is called "${short(before ?? "", 200)}".` };
    if (wanted === before) return { text: "It is called that already." };
    await host.sessions.rename(session, wanted);
    return { text: `This session is called "${short(wanted, 200)}" now.` };
  },
};

const history: Command = {
  ...defaults,
  name: "history",
  args: "[number]",
  help: "Show the last messages of this session, cut to a line each",
  more: "Ten of them unless a number is given. `talaria sessions show ID` prints them whole.",
  run: async (arg, { session }, host) => {
    const limit = parseCount(arg, 10, 1000);
    if (limit === undefined) return { text: "/history takes a number from 1 to 1000." };
    const all = session === undefined ? [] : await host.sessions.messages(session);
    if (all.length === 0) return { text: "Nothing has been said yet." };
    const last = all.slice(-limit);
    const before = all.length - last.length;
    return { text: [...(before === 0 ? [] : [`… ${before} before`]), ...last.map(messageLine)].join("\n") };
  },
};

function messageLine({ message }: StoredMessage): string {
  const calls = message.role === "assistant" ? (message.toolCalls ?? []) : [];
  const parts = [messageText(message), ...calls.map((call) => `→ ${call.name} ${call.arguments}`)];
  return `${message.role.padEnd(9)}  ${short(parts.filter((part) => part !== "").join(" "), 100)}`;
}

const fork: Command = {
  ...defaults,
  name: "fork",
  aliases: ["branch"],
  help: "Go on in a copy of this session; this one stays as it is",
  busy: "refused",
  run: async (_arg, call, host) => {
    const { session } = call;
    if (session === undefined) return { text: "There is nothing to fork: no session has begun." };
    const { id } = await host.fork(session);
    return {
      text: `You go on in ${id}, which begins with all that was said here. ${session} stays as it is.${resumeHint(call)}`,
      session: id,
    };
  },
};

const compress: Command = {
  ...defaults,
  name: "compress",
  aliases: ["compact"],
  args: "[focus | undo | pin LINE | unpin NUMBER]",
  words: ["undo", "pin", "unpin"],
  help: "Give the model a summary of the older messages",
  more: "The messages are kept. A focus says what the summary is to be about, undo takes it back, pin keeps a line word for word.",
  busy: "refused",
  run: async (arg, { session }, host) => {
    if (session === undefined) return { text: "There is nothing to shorten: no session has begun." };
    return { text: await host.compress(session, parseCompress(arg)) };
  },
};

const context: Command = {
  ...defaults,
  name: "context",
  help: "Show what the model is given, part by part, and how full it is",
  run: async (_arg, { session, cwd }, host) => ({ text: contextText(await host.context(session, cwd)) }),
};

export const sessionCommands: readonly Command[] = [
  newSession,
  sessions,
  resume,
  title,
  history,
  fork,
  compress,
  context,
];
