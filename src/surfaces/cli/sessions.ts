import { columns } from "../../operations/text/columns.ts";
import { minute } from "../../operations/text/time.ts";
import { messageText, userMessage } from "../../core/messages.ts";
import type { ListedSession } from "../../core/session.ts";
import { type Action, type Actions, limitOf } from "./action.ts";
import { usage } from "./failure.ts";
import { clean, short } from "../../core/plain-text.ts";

const most = 1000;

const list: Action = async (client, { options }) => {
  const rows = await client.call("sessions.list", { limit: limitOf(options, 20, most) });
  const none = 'There are no sessions yet. Start one: talaria run "hello"';
  return { text: rows.length === 0 ? none : columns(rows.map(sessionCells)), rows };
};

const show: Action = async (client, { words: [id = ""] }) => {
  const session = await client.call("sessions.get", { session: id });
  const of = { session: session.id };
  const [messages, turns, tasks, setAside] = await Promise.all([
    client.call("sessions.messages", of),
    client.call("sessions.turns", of),
    client.call("sessions.list", { limit: most, parent: session.id }),
    client.call("inputs.setAside", of),
  ]);
  const undone = new Set(turns.flatMap((turn) => (turn.undone === true ? [turn.id] : [])));
  const lines = messages.map(({ turn, message }) => {
    const mark = undone.has(turn) ? "(taken back) " : "";
    const calls = message.role === "assistant" ? (message.toolCalls ?? []) : [];
    const text = [messageText(message), ...calls.map((call) => `→ ${call.name} ${call.arguments}`)];
    return `${message.role.padEnd(9)} ${mark}${clean(text.filter((part) => part !== "").join("\n")).replaceAll("\n", "\n          ")}`;
  });
  const parked = setAside.map(
    ({ input }) => `set aside ${clean(messageText(userMessage(input))).replaceAll("\n", "\n          ")}`,
  );
  const parentLine = session.parent === undefined ? [] : [`a part of the work of ${session.parent}`];
  const taskLines = tasks.toReversed().map((task) => `  handed on: ${sessionLine(task)}`);
  const first = messages.find(({ message }) => message.role === "user");
  const head = sessionLine(
    first === undefined ? session : { ...session, preview: messageText(first.message) },
  );
  return {
    text: [head, ...parentLine, ...taskLines, "", ...lines, ...parked].join("\n"),
    rows: [{ ...session, turns, messages, tasks, setAside }],
  };
};

const search: Action = async (client, { words, options }) => {
  const text = words.join(" ");
  if (text.trim() === "") throw usage("There is nothing to search for.", "talaria sessions search WORDS");
  const rows = await client.call("sessions.search", { text, limit: limitOf(options, 20, most) });
  const lines = rows.map(
    ({ session, at, role, snippet }) =>
      `${session}  ${minute(at)}  ${role.padEnd(9)} ${clean(snippet).replaceAll(/\s+/g, " ")}`,
  );
  return { text: rows.length === 0 ? `Nothing found for "${text}".` : lines.join("\n"), rows };
};

const exportOne: Action = async (client, { words: [id = ""], options: { format = "jsonl" } }) => {
  const { id: session } = await client.call("sessions.get", { session: id });
  if (format !== "jsonl" && format !== "md")
    throw usage(`--format ${String(format)}: not a format.`, "Use jsonl or md.");
  return { lines: client.call("sessions.export", { session, format }) };
};

const remove: Action = async (client, { words: [id = ""], options }) => {
  const { id: session } = await client.call("sessions.get", { session: id });
  if (options["yes"] !== true) {
    throw usage(
      `Deleting ${session} cannot be undone.`,
      `Say it again with --yes: talaria sessions delete ${session} --yes`,
    );
  }
  await client.call("sessions.delete", { session });
  return { text: `Deleted ${session}.`, rows: [{ deleted: session }] };
};

/** `talaria sessions …`. */
export const actions: Actions = { list, show, search, export: exportOne, delete: remove };

const sessionLine = (session: ListedSession): string => sessionCells(session).join("  ");

const sessionCells = ({ id, updatedAt, title, preview, cwd, runtime }: ListedSession): readonly string[] => [
  id,
  minute(updatedAt),
  short(title ?? preview ?? "(no message yet)", 40),
  cwd,
  ...(runtime === undefined ? [] : [`[${runtime}]`]),
];
