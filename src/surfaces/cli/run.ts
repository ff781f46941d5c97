import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import type { EndedEnvelope, Envelope } from "../../core/events.ts";
import type { Client } from "../../core/calls.ts";
import type { Attended, Incoming, TurnChoices } from "../../core/host.ts";
import { newId } from "../../core/ids.ts";
import { whyNoSchema } from "../../core/json-schema.ts";
import type { Json } from "../../core/json.ts";
import { listen } from "../../core/client/listening.ts";
import type { InputPart } from "../../core/messages.ts";
import { type NewSession, efforts, isEffort } from "../../core/session.ts";
import { sessionToStartIn } from "../../core/client/start-session.ts";
import { systemClock } from "../../lib/clock.ts";
import { isFolder } from "../../lib/files/is-folder.ts";
import { pictureEndings, readPicture } from "../../lib/picture.ts";
import { usage } from "./failure.ts";
import { type LineInput, lineInput } from "./line-input.ts";
import type { CliPorts, ExitCode, HostOptions } from "./ports.ts";
import { questionPanel } from "./question-panel.ts";
import { isRuntime, notARuntime } from "./runtime-option.ts";
import { type PrinterOptions, turnPrinter } from "./turn-printer.ts";
import { turnStop } from "../../core/client/turn-stop.ts";

export type RunOptions = {
  readonly profile?: string;
  readonly attach?: boolean;
  readonly runtime?: string;
  readonly session?: string;
  /** The program's own option, which says the same. `true`: without an id. */
  readonly resume?: string | boolean;
  readonly continue?: boolean;
  readonly cwd?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly image: readonly string[];
  readonly schema?: string;
  readonly approve?: string;
  readonly memory: boolean;
  readonly context: boolean;
  readonly record?: boolean;
  readonly quiet?: boolean;
  readonly json?: boolean;
};

/** `talaria run`: one turn, streamed to the terminal or as JSON lines. */
export async function run(ports: CliPorts, words: readonly string[], given: RunOptions): Promise<ExitCode> {
  const options = withResumed(given);
  const cwd = await workingFolder(ports.cwd, options.cwd);
  const input = await inputParts(ports, words, options.image, cwd);
  const choices = await turnChoices(options, cwd);
  const attended = attendedBy(ports, options.approve);
  const { profile, attach = true } = options;
  await using client = await ports.openHost({
    ...(profile === undefined ? {} : { profile }),
    attach,
    ...firstTurn(options),
  });
  // Said beside the turn, which waits for nothing that it does not need.
  const warned = warn(ports, client);
  warned.catch(() => {}); // told in the end
  const session = (await sessionToStartIn(client, options, cwd)) ?? newSession(cwd);
  const output = { ...options, input: lineInput(ports.stdin, systemClock) };
  // Piped input may have been written by anybody.
  const account = isPiped(words) ? "stdin" : "";
  const code = await runTurn(ports, client, { session, input, choices, attended, account }, output);
  await warned;
  return code;
}

function withResumed({ resume, ...options }: RunOptions): RunOptions {
  if (resume === undefined) return options;
  if (options.session !== undefined)
    throw usage("Two sessions are asked for.", "Use either --session or --resume.");
  if (typeof resume !== "string")
    throw usage("--resume needs the id of a session here.", "See `talaria sessions list`.");
  return { ...options, session: resume };
}

async function warn({ stderr }: CliPorts, client: Client): Promise<void> {
  const { warnings } = await client.call("host.status", {});
  for (const warning of warnings) stderr.write(`talaria: warning: ${warning}\n`);
}

/** Not of a session that goes on: it has its own runtime and model. A recording has to see codex start. */
function firstTurn({ session, runtime, model, record, ...rest }: RunOptions): Pick<HostOptions, "firstTurn"> {
  if (session !== undefined || rest.continue === true || record === true) return {};
  return {
    firstTurn: {
      ...(runtime === undefined ? {} : { runtime }),
      ...(model === undefined ? {} : { model }),
    },
  };
}

const isPiped = (words: readonly string[]): boolean => words.length === 1 && words[0] === "-";

/** `account`: where the input is from, if nobody typed it. */
export type TurnRequest = Omit<Incoming, "key" | "from" | "whenBusy"> & { readonly account?: string };

/** Sends one input and shows its turn to the end. The first Ctrl+C stops the turn, the second leaves at once. */
export async function runTurn(
  ports: CliPorts,
  client: Client,
  turn: TurnRequest,
  output: Pick<RunOptions, "json" | "quiet"> &
    Pick<PrinterOptions, "advice"> & {
      readonly input?: LineInput;
      readonly onEvent?: (event: Envelope) => void;
    },
): Promise<ExitCode> {
  const id = typeof turn.session === "string" ? turn.session : turn.session.id;
  const show =
    output.json === true
      ? (event: object) => void ports.stdout.write(`${JSON.stringify(event)}\n`)
      : turnPrinter({ ...ports, ...output, quiet: output.quiet === true, color: hasColor(ports) });
  using cleanup = new DisposableStack();
  const { input } = output;
  const asks = (turn.attended === "ask" || turn.attended === "yolo") && input !== undefined;
  const panel = asks ? questionPanel({ client, input, stderr: ports.stderr }) : undefined;
  // Only at a terminal is there certainly a person to answer.
  const by = asks && ports.stdin.isTTY === true ? "person" : "program";
  const hear = (event: Envelope): void => {
    show(event);
    panel?.(event);
    output.onEvent?.(event);
  };
  const onError = (error: unknown): void => void ports.stderr.write(`talaria: ${String(error)}\n`);
  const listening = listen(client, id, hear, { by, onError });
  cleanup.defer(() => listening.leave());
  const { stop, ...stopping } = turnStop(client, id, onError);
  let interrupted: ExitCode | undefined;
  const interrupt = (code: ExitCode): void => {
    interrupted ??= code;
    stop();
  };
  const stopListening = ports.onInterrupt((signal) => {
    // Only the first one is ours: the next ends the process, as it would any other, whatever we are stuck in.
    stopListening();
    interrupt(signal === "SIGTERM" ? 143 : 130);
  });
  cleanup.defer(stopListening);
  cleanup.defer(ports.onReaderGone(() => interrupt(141)));
  const { account = "", ...incoming } = turn;
  const key = { surface: "cli", account, chat: id, messageId: ports.newKey() };
  const sent = await client.call("turns.send", { key, ...incoming, whenBusy: "queue" });
  stopping.sent();
  if (interrupted !== undefined) stop(); // when it came there was no turn to stop
  const ended = await Promise.race([client.call("turns.wait", { inbox: sent.inbox }), stopping.abandoned]);
  stopping.over();
  if (ended !== null) await listening.heard(ended.turn);
  await written(ports.stdout);
  const code = exitCodeOfTurn(ended, interrupted);
  if (code === 141) ports.stderr.write(`talaria: ${unread(ended)}\n`);
  return code;
}

const unread = (ended: EndedEnvelope | null): string =>
  ended?.outcome === "done"
    ? "nobody has read the answer"
    : "nobody reads the answer any more, so the turn was stopped";

/** Whether anybody reads the answer is known only after that. Nobody is waited for who reads slowly. */
const written = async (stdout: CliPorts["stdout"]): Promise<void> =>
  stdout.writableNeedDrain ? undefined : new Promise((done) => void stdout.write("", () => done()));

function exitCodeOfTurn(ended: EndedEnvelope | null, interrupted: ExitCode = 130): ExitCode {
  if (ended === null || ended.outcome === "interrupted") return interrupted;
  if (ended.outcome !== "failed") return interrupted === 141 ? 141 : 0;
  return ended.fault?.code === "config" ? 2 : 1;
}

async function workingFolder(cwd: string, given: string | undefined): Promise<string> {
  if (given === undefined) return cwd;
  const folder = resolve(cwd, given);
  if (!(await isFolder(folder))) throw usage(`--cwd ${given}: there is no such folder.`);
  return folder;
}

async function inputParts(
  ports: CliPorts,
  words: readonly string[],
  images: readonly string[],
  cwd: string,
): Promise<readonly InputPart[]> {
  const text = isPiped(words) ? await readAll(ports.stdin) : words.join(" ");
  const pictures = await Promise.all(images.map((file) => imagePart(cwd, file)));
  if (text.trim() === "" && pictures.length === 0) {
    throw usage(
      "There is nothing to send.",
      'Write the message after it: talaria run "hello", or - to read it from stdin.',
    );
  }
  return [
    ...(text.trim() === "" ? [] : [{ type: "text" as const, text: text.replace(/\n$/, "") }]),
    ...pictures,
  ];
}

async function turnChoices(options: RunOptions, cwd: string): Promise<TurnChoices> {
  const { runtime, model, effort, schema } = options;
  if (effort !== undefined && !isEffort(effort)) {
    throw usage(`--effort ${effort}: there is no such level.`, `Use one of: ${efforts.join(", ")}.`);
  }
  if (runtime !== undefined && !isRuntime(runtime)) throw notARuntime(runtime);
  return {
    ...(runtime === undefined ? {} : { runtime }),
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
    ...(options.cwd === undefined ? {} : { cwd }),
    ...(schema === undefined ? {} : { outputSchema: await schemaFile(cwd, schema) }),
    memory: options.memory,
    context: options.context,
    ...(options.record === true ? { record: true } : {}),
  };
}

/** Without --approve, a person at a terminal is asked and a script is not. */
export function attendedBy(ports: CliPorts, approve: string | undefined): Attended {
  if (approve === undefined)
    return ports.stdin.isTTY === true && ports.stderr.isTTY === true ? "ask" : "none";
  if (approve === "ask" || approve === "none" || approve === "all") return approve;
  throw usage(`--approve ${approve}: not a choice.`, "Use ask, none or all.");
}

export const newSession = (cwd: string): NewSession => ({
  id: newId("ses", systemClock.now()),
  cwd,
  surface: "cli",
  audience: "owner",
});

export const hasColor = (ports: CliPorts): boolean =>
  ports.stderr.isTTY === true && ports.env["NO_COLOR"] === undefined && ports.env["TERM"] !== "dumb";

async function imagePart(cwd: string, file: string): Promise<InputPart> {
  const found = await readPicture(resolve(cwd, file));
  if (!("why" in found)) return { type: "image", ...found };
  if (found.why === "too_big") throw usage(`--image ${file} is larger than 20 MiB.`, "Scale it down first.");
  if (found.why !== "not_a_picture") throw usage(`--image ${file} cannot be read: ${found.detail}.`);
  throw usage(`--image ${file}: not a picture Talaria can send.`, `Use one of ${pictureEndings.join(", ")}.`);
}

async function schemaFile(cwd: string, file: string): Promise<Json> {
  const text = await readFile(resolve(cwd, file), "utf8").catch((error: Error) => {
    throw usage(`--schema ${file} cannot be read: ${error.message}.`);
  });
  const schema = parsedSchema(file, text);
  const why = whyNoSchema(schema);
  if (why === undefined) return schema as Json;
  throw usage(`--schema ${file} is not a JSON Schema: ${why}.`);
}

function parsedSchema(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usage(`--schema ${file} is not valid JSON: ${(error as Error).message}.`);
  }
}

async function readAll(stdin: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString("utf8");
}
