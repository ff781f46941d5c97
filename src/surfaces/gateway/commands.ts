import type { Choosing, CommandReply } from "../../core/chat-state.ts";
import type { ReceivedMessage } from "../../core/gateway/tables.ts";
import { inChatWords } from "../../core/gateway/chat-words.ts";
import { toFailure } from "../../core/failure.ts";
import { type Admitting, type Sender, sendInput } from "./admit.ts";
import { houseOf, say } from "./bot-parts.ts";
import { chatState, keepState } from "./chat-session.ts";
import { fenced } from "./questions.ts";

const mostButtons = 10;
const mostDataBytes = 64;

/** A slash command, with the rights of whoever typed it. Its words come from the table of operations, as everywhere. */
export async function runCommand(
  parts: Admitting,
  line: string,
  row: Pick<ReceivedMessage, "message">,
  sender: Sender,
): Promise<void> {
  const { chat, from } = sender;
  const replyTo = row.message.messageId;
  try {
    const { planned: _planned, ...state } = await chatState(parts, chat);
    const context = { ...state, surface: chat.surface, cwd: parts.gateway.workFolder };
    const answered = await parts.host.as(from).call("chat.command", { line, chat: context });
    const reply = { ...answered, text: inChatWords(wordsFor(chat, answered)) };
    const problem = await notForGroups(parts, chat, reply);
    if (problem !== undefined) return await say(parts, chat, problem, { replyTo });
    await keepState(parts, chat, state, reply);
    if (reply.choose !== undefined && (await offer(parts, sender, reply.choose, reply.text))) return;
    if (reply.text !== "") await say(parts, chat, asWritten(reply.text), { replyTo });
    if (reply.send === undefined) return;
    const sent = await sendInput(parts, row, sender, reply.send);
    if ("failure" in sent)
      await say(parts, chat, `${sent.failure.message} ${sent.failure.next}`, { replyTo });
  } catch (error) {
    const { message, next } = toFailure(error);
    await say(parts, chat, inChatWords(`${message} ${next}`), { replyTo });
  }
}

/** One message is enough of what has happened once. */
const wordsFor = ({ surface, account, chat }: Sender["chat"], { text, heard }: CommandReply): string =>
  heard?.in.surface === surface && heard.in.account === account && heard.in.chat === chat ? heard.rest : text;

/** What is said in a group is read by all of it, so no session goes on there that is held with the owner alone. */
async function notForGroups(
  parts: Admitting,
  { room }: Sender["chat"],
  { session }: CommandReply,
): Promise<string | undefined> {
  if (room !== "group" || typeof session !== "string") return undefined;
  const { audience } = await houseOf(parts).call("sessions.get", { session });
  if (audience !== "owner") return undefined;
  return "That session is held with you alone, and everybody here would read along. Go on with it in our direct chat.";
}

/** Lines in columns, and such as markdown would change, keep their shape in a fence. What is meant to be tapped stays outside of one. */
function asWritten(text: string): string {
  const isShaped = /\S {2,}\S/.test(text) || /^[-+*#>] ?/m.test(text);
  const isTapped = /^ {2}\/[a-z]/m.test(text);
  return isShaped && !isTapped && text.includes("\n") ? fenced(text).join("\n") : text;
}

/** False: its values do not fit on buttons, and the text says what to type. */
async function offer(parts: Admitting, { chat }: Sender, choosing: Choosing, text: string): Promise<boolean> {
  const { title, command, options, asks } = choosing;
  const buttons = options.map(({ value, label }) => [{ label, data: `c:${command} ${value}` }]);
  const fit = buttons.every(([button]) => Buffer.byteLength(button?.data ?? "") <= mostDataBytes);
  if (!fit || buttons.length === 0 || buttons.length > mostButtons) return false;
  const { part } = parts.adapter.renderQuestion(
    asks === true ? `${text}\n\n**${title}**` : `**${title}**`,
    buttons,
  );
  const { surface, account, chat: name } = chat;
  await parts.gateway.outbox.add(
    { surface, account, chat: name, body: { kind: "part", part: part as never } },
    parts.clock.now(),
  );
  return true;
}
