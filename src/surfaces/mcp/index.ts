import type { Readable, Writable } from "node:stream";
import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/server";
import { choiceWords } from "../../core/asking-words.ts";
import type { Answers, ApprovalState, Choice, Form } from "../../core/asking.ts";
import type { ToolClient } from "../../core/host.ts";
import { newId } from "../../core/ids.ts";
import { short } from "../../core/plain-text.ts";
import type { ToolAsker, ToolServer } from "../../core/tooling.ts";
import { systemClock } from "../../lib/clock.ts";
import { redactor } from "../../lib/redact/redact.ts";
import { stdioTransport } from "./stdio.ts";
import { canShowForms, elicitFrom, newServer, offer } from "./tool-app.ts";

/**
 * Serves our tools to one client over stdin and stdout until it leaves: calls that it made before the end of its input
 * are answered, unless nobody reads any more. Rejects when Talaria cannot be opened or what is wanted is not offered: the
 * client sees that the program has ended.
 */
export async function mcp(ports: McpPorts, options: McpOptions): Promise<McpExit> {
  const mask = redactor();
  const log = (line: string): void => void ports.stderr.write(`talaria: ${mask(line)}\n`);
  const { profile, attach } = options;
  await using host = await ports.openHost({
    ...(profile === undefined ? {} : { profile }),
    ...(attach === undefined ? {} : { attach }),
  });
  const { warnings } = await host.call("host.status", {});
  for (const warning of warnings) log(`warning: ${warning}`);
  const server = newServer(ports.version);
  const inputEnd = new AbortController();
  await using tools = await openTools(host, clientOf(server, inputEnd.signal), ports, options);
  offer(server, tools);
  const over = Promise.withResolvers<void>();
  Object.assign(server, {
    onclose: over.resolve,
    onerror: (error: Error) => log(`the connection: ${short(error.message, longestError)}`),
  });
  let code: 0 | 130 | 143 = 0;
  const ignore = ports.onSignal(["SIGINT", "SIGTERM", "SIGHUP"], (signal) => {
    // The next one ends the process, whatever we are stuck in.
    ignore();
    code = signal === "SIGTERM" ? 143 : 130;
    void server.close();
  });
  await server.connect(
    stdioTransport(ports, {
      log,
      onInputEnd: () => inputEnd.abort(new Error("the client sends nothing more")),
    }),
  );
  await over.promise;
  ignore();
  return code;
}

type Server = ReturnType<typeof newServer>;
type McpClient = { readonly name: () => string; readonly asker: ToolAsker };

const longestError = 200;
const longestName = 60;

/** Who sends nothing more cannot answer. */
const clientOf = (server: Server, inputEnd: AbortSignal): McpClient => ({
  name: () => server.getClientVersion()?.name ?? "",
  asker: questions(
    elicitFrom(server, inputEnd),
    () => !inputEnd.aborted && canShowForms(server.getClientCapabilities()),
  ),
});

const openTools = (
  host: ToolClient,
  { name, asker }: McpClient,
  { cwd, env }: McpPorts,
  { tools, withLocalTools: local = false }: McpOptions,
): Promise<ToolServer> =>
  host.openTools({
    surface: "mcp",
    session: newId("ses", systemClock.now()),
    cwd,
    local,
    ...taskOf(env["TALARIA_TASK"] ?? ""),
    caller: () => short(name(), longestName) || "an MCP client",
    asker,
    ...(tools === undefined ? {} : { only: tools.split(",").map((each) => each.trim()) }),
  });

/** A worker on anything; on an attempt at a card, it reports on that one. */
const taskOf = (task: string): { readonly worker: boolean; readonly task?: string } => ({
  worker: task !== "",
  ...(/^t_[0-9a-f]+\.\d+$/.test(task) ? { task } : {}),
});

/** What the surface for other agents is started with. */
type McpPorts = {
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Messages of the client. */
  readonly stdin: Readable;
  /** Messages to the client, and nothing else. */
  readonly stdout: Writable;
  /** For people who look into the client's log. */
  readonly stderr: Writable;
  readonly openHost: (options: {
    readonly profile?: string;
    readonly attach?: boolean;
  }) => Promise<ToolClient>;
  /** Calls back on any of these; returns how to stop listening. */
  readonly onSignal: (
    names: readonly NodeJS.Signals[],
    callback: (signal: NodeJS.Signals) => void,
  ) => () => void;
};

type McpOptions = {
  readonly profile?: string;
  /** `false`: in this process, also while a host serves the home. */
  readonly attach?: boolean;
  /** Also the tools for commands and files of this machine. */
  readonly withLocalTools?: boolean;
  /** Only these: toolsets or tools, with commas between them. */
  readonly tools?: string;
};

/** 0 the client has left · 130, 143 ended by a signal (143: SIGTERM) */
type McpExit = 0 | 130 | 143;

/** Shows a form to the person at the client. Rejects when the client cannot, or has left. */
type Elicit = (form: ElicitRequestFormParams, signal: AbortSignal) => Promise<ElicitResult>;

/** Questions of tools as forms of the client. The host keeps them: whoever answers first, here or elsewhere, decides. */
const questions = (elicit: Elicit, canAsk: () => boolean): ToolAsker => ({
  canAsk,
  permit: async (approval, signal) =>
    choiceIn(await elicit(permissionForm(approval), signal), approval.choices),
  inform: async ({ form }, signal) => answersIn(await elicit(inquiryForm(form), signal), form),
});

const permissionForm = ({ shown, choices }: ApprovalState): ElicitRequestFormParams => ({
  message: shown.join("\n"),
  requestedSchema: {
    type: "object",
    properties: {
      answer: {
        type: "string",
        title: "May this be done?",
        enum: [...choices],
        enumNames: choices.map((choice) => choiceWords[choice]),
      },
    },
    required: ["answer"],
  },
});

/** Whoever does not choose to allow it has not allowed it. */
function choiceIn({ action, content }: ElicitResult, choices: readonly Choice[]): Choice {
  const chosen = action === "accept" ? choices.find((choice) => choice === content?.["answer"]) : undefined;
  return chosen ?? "deny";
}

const inquiryForm = ({ title, fields }: Form): ElicitRequestFormParams => ({
  message: title,
  requestedSchema: {
    type: "object",
    properties: Object.fromEntries(
      fields.map(({ name, label, options }) => [
        name,
        { type: "string" as const, title: label, ...(options === undefined ? {} : { enum: [...options] }) },
      ]),
    ),
    required: fields.map(({ name }) => name),
  },
});

function answersIn({ action, content }: ElicitResult, { fields }: Form): Answers | undefined {
  if (action !== "accept") return undefined;
  return Object.fromEntries(
    fields.flatMap(({ name }) => (content?.[name] === undefined ? [] : [[name, String(content[name])]])),
  );
}
