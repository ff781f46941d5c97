import type { Readable, Writable } from "node:stream";
import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/server";
import { choiceWords } from "../../core/asking-words.ts";
import type { Answers, ApprovalState, Choice, Form } from "../../core/asking.ts";
import type { Host } from "../../core/host.ts";
import type { Principal } from "../../core/principal.ts";
import { short } from "../../core/plain-text.ts";
import type { ToolAsker, ToolServer } from "../../core/tooling.ts";
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
  const { profile } = options;
  // What a crash left is for a process that stays, and would make the client wait.
  await using host = await ports.openHost({
    skipRepair: true,
    ...(profile === undefined ? {} : { profile }),
  });
  const { warnings } = await host.as(program).call("host.status", {});
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

/** Whatever starts us: we know no more of it. */
const program: Principal = { surface: "mcp", id: "stdio", role: "program", local: true };

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
  host: Host,
  { name, asker }: McpClient,
  { cwd, env }: McpPorts,
  { tools, withLocalTools: local = false }: McpOptions,
): Promise<ToolServer> =>
  host.openTools({
    surface: "mcp",
    cwd,
    local,
    worker: (env["TALARIA_TASK"] ?? "") !== "",
    caller: () => short(name(), longestName) || "an MCP client",
    asker,
    ...(tools === undefined ? {} : { only: tools.split(",").map((each) => each.trim()) }),
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
  readonly openHost: (options: { readonly profile?: string; readonly skipRepair?: boolean }) => Promise<Host>;
  /** Calls back on any of these; returns how to stop listening. */
  readonly onSignal: (
    names: readonly NodeJS.Signals[],
    callback: (signal: NodeJS.Signals) => void,
  ) => () => void;
};

type McpOptions = {
  readonly profile?: string;
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
