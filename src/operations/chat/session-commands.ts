import { messageText } from "../../core/messages.ts";
import { short } from "../../core/plain-text.ts";
import type { StoredMessage } from "../../core/session.ts";
import { parseCompress, parseCount } from "./arguments.ts";
import type { Run } from "./command.ts";
import { resumeHint } from "./resume.ts";
import { contextText } from "../text/context-text.ts";
import { sessionRows } from "../text/session-rows.ts";

export const newSession: Run = async (arg, call) => {
  const back = resumeHint(call);
  if (arg === "") return { text: `A new session starts with your next message.${back}`, session: null };
  const title = short(arg, 200);
  return { text: `A new session "${title}" starts with your next message.${back}`, session: null, title };
};

export const sessions: Run = async (arg, { session }, client) => {
  const limit = parseCount(arg, 10, 100);
  if (limit === undefined) return { text: "/sessions takes a number from 1 to 100." };
  const rows = await client.call("sessions.list", { limit });
  return { text: rows.length === 0 ? "There are no sessions yet." : sessionRows(rows, session) };
};

export const title: Run = async (arg, { session }, client) => {
  if (session === undefined)
    return {
      text: "There is no session yet: it begins with your first message. /new TITLE names it beforehand.",
    };
  const { title: before } = await client.call("sessions.get", { session: session });
  const wanted = arg.replaceAll(/\s+/g, " ");
  if (wanted === "" && before === undefined) return { text: "This session has no title yet." };
  if (wanted === "") return { text: `This session is called "${short(before ?? "", 200)}".` };
  if (wanted === before) return { text: "It is called that already." };
  await client.call("sessions.rename", { session, title: wanted });
  return { text: `This session is called "${short(wanted, 200)}" now.` };
};

export const history: Run = async (arg, { session }, client) => {
  const limit = parseCount(arg, 10, 1000);
  if (limit === undefined) return { text: "/history takes a number from 1 to 1000." };
  const last = session === undefined ? [] : await client.call("sessions.messages", { session, last: limit });
  if (session === undefined || last.length === 0) return { text: "Nothing has been said yet." };
  const { messages } = await client.call("sessions.count", { session });
  const before = Math.max(0, messages - last.length);
  return { text: [...(before === 0 ? [] : [`… ${before} before`]), ...last.map(messageLine)].join("\n") };
};

function messageLine({ message }: StoredMessage): string {
  const calls = message.role === "assistant" ? (message.toolCalls ?? []) : [];
  const parts = [messageText(message), ...calls.map((call) => `→ ${call.name} ${call.arguments}`)];
  return `${message.role.padEnd(9)}  ${short(parts.filter((part) => part !== "").join(" "), 100)}`;
}

export const fork: Run = async (_arg, call, client) => {
  const { session } = call;
  if (session === undefined) return { text: "There is nothing to fork: no session has begun." };
  const { id } = await client.call("sessions.fork", { session });
  return {
    text: `You go on in ${id}, which begins with all that was said here. ${session} stays as it is.${resumeHint(call)}`,
    session: id,
  };
};

export const compress: Run = async (arg, { session }, client) => {
  if (session === undefined) return { text: "There is nothing to shorten: no session has begun." };
  return { text: await client.call("sessions.compress", { session, asked: parseCompress(arg) }) };
};

export const context: Run = async (_arg, { session, cwd }, client) => ({
  text: contextText(
    await client.call("sessions.context", { ...(session === undefined ? {} : { session }), cwd }),
  ),
});
