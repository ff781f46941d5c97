import type { Client } from "../../core/calls.ts";
import type { SessionId } from "../../core/ids.ts";
import type { ListedSession } from "../../core/session.ts";
import type { CommandReply } from "../../core/chat-state.ts";
import { type Run, type CommandCall } from "./command.ts";
import { counted, short } from "../../core/plain-text.ts";
import { minute } from "../text/time.ts";
import { sessionChoosing, sessionName, sessionRows } from "../text/session-rows.ts";
import { pendingText } from "./next-turn-setup.ts";

/** How many are offered, and how many are looked through for words of a title. */
const offered = 20;
const searched = 1000;

export const resume: Run = async (arg, call, client) => {
  if (arg === "") return await offerSessions(call, client);
  const found = await find(arg, client);
  if (typeof found === "string") return await continueIn(found, call, client);
  if (found.length === 0)
    return {
      text: `No session matches "${short(arg, 60)}". /sessions lists them; \`talaria sessions search WORDS\` finds what was said in them.`,
    };
  return {
    text: `Several sessions match:\n${found.map((each) => `  ${each.id}  ${sessionName(each, 60)}`).join("\n")}`,
    choose: sessionChoosing("Several sessions match", found, call.session),
  };
};

async function offerSessions({ session }: CommandCall, client: Client): Promise<CommandReply> {
  const rows = await client.call("sessions.list", { limit: offered });
  if (rows.length === 0) return { text: "There are no sessions yet." };
  return {
    text: `${sessionRows(rows, session)}\n/resume NUMBER goes on with one of them.`,
    choose: sessionChoosing("Go on with", rows, session),
  };
}

/** Every command that leaves a session says how to get back to it. */
export const resumeHint = ({ session, by }: CommandCall): string =>
  session === undefined || by.role !== "owner" ? "" : `\nBack: /resume ${session}`;

/** The one that is meant, or all that fit. An id that fits none or several is refused by the client, which says so. */
async function find(arg: string, client: Client): Promise<SessionId | readonly ListedSession[]> {
  if (/^ses_/i.test(arg)) return (await client.call("sessions.get", { session: arg.toLowerCase() })).id;
  const rows = await client.call("sessions.list", { limit: searched });
  const row = /^\d{1,4}$/.test(arg) ? rows[Number(arg) - 1] : undefined;
  if (row !== undefined) return row.id;
  const whole = rows.filter((session) => name(session) === arg.toLowerCase());
  const words = arg.toLowerCase().split(/\s+/);
  const fitting =
    whole.length > 0 ? whole : rows.filter((session) => words.every((word) => name(session).includes(word)));
  const [only, ...more] = fitting;
  return only !== undefined && more.length === 0 ? only.id : fitting.slice(0, offered);
}

const name = (session: ListedSession): string => sessionName(session, 500).toLowerCase();

async function continueIn(id: SessionId, call: CommandCall, client: Client): Promise<CommandReply> {
  const { session, choices } = call;
  if (id === session) return { text: "You are in that session already." };
  const found = await client.call("sessions.get", { session: id });
  const { turns } = await client.call("sessions.count", { session: id });
  const called = found.title === undefined ? id : `"${short(found.title, 60)}" (${id})`;
  const pending = pendingText(choices);
  return {
    text: [
      `You go on with ${called}: ${counted(turns, "turn")}, last on ${minute(found.updatedAt)}, in ${short(found.cwd, 200)}.`,
      ...(pending === "" ? [] : [`Your next message takes along what you chose: ${pending}.`]),
    ]
      .join("\n")
      .concat(resumeHint(call)),
    session: id,
  };
}
