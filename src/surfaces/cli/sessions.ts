import { columns } from "../../commands/text/columns.ts";
import { minute } from "../../commands/text/time.ts";
import { messageText, userMessage } from "../../core/messages.ts";
import type { ListedSession } from "../../core/session.ts";
import type { Host } from "../../core/host.ts";
import { print, printJson } from "./command-output.ts";
import { usage } from "./failure.ts";
import type { CliPorts, ExitCode } from "./ports.ts";
import { clean, short } from "../../core/plain-text.ts";

export type SessionsOptions = {
  readonly profile?: string;
  readonly json?: boolean;
  readonly limit?: string;
  readonly format?: string;
  readonly yes?: boolean;
};

type Action = (
  ports: CliPorts,
  host: Host,
  words: readonly string[],
  options: SessionsOptions,
) => Promise<ExitCode>;

/** `talaria sessions list|show|search|export|delete`. */
export async function sessions(
  ports: CliPorts,
  action: keyof typeof actions,
  words: readonly string[],
  options: SessionsOptions,
): Promise<ExitCode> {
  const profile = options.profile === undefined ? {} : { profile: options.profile };
  await using host = await ports.openHost({ ...profile, skipRepair: true });
  return await actions[action](ports, host, words, options);
}

const list: Action = async (ports, host, _words, options) => {
  const rows = await host.sessions.list({ limit: limitOf(options, 20) });
  if (options.json === true) return printJson(ports, rows);
  if (rows.length === 0) return print(ports, 'There are no sessions yet. Start one: talaria run "hello"');
  return print(ports, columns(rows.map(sessionCells)));
};

const show: Action = async (ports, host, [id = ""], options) => {
  const session = await host.sessions.get(id);
  const [messages, turns, tasks, setAside] = await Promise.all([
    host.sessions.messages(session.id),
    host.sessions.turns(session.id),
    host.sessions.list({ limit: 1000, parent: session.id }),
    host.sessions.setAside(session.id),
  ]);
  if (options.json === true) return printJson(ports, [{ ...session, turns, messages, tasks, setAside }]);
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
  return print(ports, [head, ...parentLine, ...taskLines, "", ...lines, ...parked].join("\n"));
};

const search: Action = async (ports, host, words, options) => {
  const text = words.join(" ");
  if (text.trim() === "") throw usage("There is nothing to search for.", "talaria sessions search WORDS");
  const hits = await host.sessions.search({ text, limit: limitOf(options, 20) });
  if (options.json === true) return printJson(ports, hits);
  if (hits.length === 0) return print(ports, `Nothing found for "${text}".`);
  return print(
    ports,
    hits
      .map(
        (hit) =>
          `${hit.session}  ${minute(hit.at)}  ${hit.role.padEnd(9)} ${clean(hit.snippet).replaceAll(/\s+/g, " ")}`,
      )
      .join("\n"),
  );
};

const exportOne: Action = async (ports, host, [id = ""], options) => {
  const session = await host.sessions.get(id);
  const format = options.format ?? "jsonl";
  if (format !== "jsonl" && format !== "md")
    throw usage(`--format ${format}: not a format.`, "Use jsonl or md.");
  for (const line of await host.sessions.export(session.id, format)) ports.stdout.write(`${line}\n`);
  return 0;
};

const remove: Action = async (ports, host, [id = ""], options) => {
  const session = await host.sessions.get(id);
  if (options.yes !== true) {
    throw usage(
      `Deleting ${session.id} cannot be undone.`,
      `Say it again with --yes: talaria sessions delete ${session.id} --yes`,
    );
  }
  await host.sessions.delete(session.id);
  if (options.json === true) return printJson(ports, [{ deleted: session.id }]);
  return print(ports, `Deleted ${session.id}.`);
};

const actions = { list, show, search, export: exportOne, delete: remove } as const;

function limitOf({ limit }: SessionsOptions, otherwise: number): number {
  if (limit === undefined) return otherwise;
  const number = Number(limit);
  if (!Number.isInteger(number) || number < 1) throw usage(`--limit ${limit}: not a number.`);
  return Math.min(number, 1000);
}

const sessionLine = (session: ListedSession): string => sessionCells(session).join("  ");

const sessionCells = ({ id, updatedAt, title, preview, cwd, runtime }: ListedSession): readonly string[] => [
  id,
  minute(updatedAt),
  short(title ?? preview ?? "(no message yet)", 40),
  cwd,
  ...(runtime === undefined ? [] : [`[${runtime}]`]),
];
