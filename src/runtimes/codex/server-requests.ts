import type { Answers, Decision, Form, Question } from "../../core/asking.ts";
import type { Json } from "../../core/json.ts";
import { rpcCodes } from "../../lib/rpc-message.ts";
import type { Ports } from "../runtime.ts";
import type { RequestFrame } from "./frame.ts";
import { hostNamespace } from "./offered-tools.ts";
import type { Change } from "./wire/call-item.ts";
import { type Fields, fieldsOf, idIn, listOf, textIn } from "./wire/fields.ts";

/** What an answer may need of the turn it belongs to. */
export type RequestContext = {
  readonly ports: Pick<Ports, "ask" | "inquire" | "tools">;
  readonly cwd: string;
  /** Aborts when the turn is over: then nobody waits for an answer any more. */
  readonly signal: AbortSignal;
  readonly offered: ReadonlySet<string>;
  /** What a patch would change. The request itself does not say; undefined when nobody knows. */
  changesOf(itemId: string): Promise<readonly Change[] | undefined>;
};

/** Answers one request of codex, in the shape that belongs to it. Nothing waits for ever; doubt is a No. */
export async function answerRequest(request: RequestFrame, context: RequestContext): Promise<void> {
  const answer = Object.hasOwn(answers, request.method) ? answers[request.method] : undefined;
  if (answer === undefined) {
    return request.fail(rpcCodes.methodNotFound, `talaria does not answer ${request.method}`);
  }
  try {
    request.respond(await answer(fieldsOf(request.params), context));
  } catch (error) {
    request.fail(rpcCodes.internalError, error instanceof Error ? error.message : String(error));
  }
}

type Answer = (params: Fields, context: RequestContext) => Promise<unknown>;

const answers: Readonly<Record<string, Answer>> = {
  "item/commandExecution/requestApproval": async (params, context) => ({
    decision: decisionWord(await ask(commandQuestion(params, context), context)),
  }),
  "item/fileChange/requestApproval": async (params, context) => ({
    decision: decisionWord(await ask(await patchQuestion(params, context), context)),
  }),
  "item/permissions/requestApproval": async (params, context) => {
    const { choice } = await ask(permissionQuestion(params, context), context);
    const granted = choice === "deny" ? {} : fieldsOf(params["permissions"]);
    return { permissions: granted, scope: choice === "session" ? "session" : "turn" };
  },
  "mcpServer/elicitation/request": elicitation,
  "item/tool/requestUserInput": userInput,
  "item/tool/call": hostTool,
  execCommandApproval: async (params, context) => ({
    decision: oldDecisionWord(await ask(commandQuestion(params, context), context)),
  }),
  applyPatchApproval: async (params, context) => ({
    decision: oldDecisionWord(await ask(oldPatchQuestion(params, context), context)),
  }),
};

const ask = (question: Question, { ports, signal }: RequestContext): Promise<Decision> =>
  ports.ask(question, signal);

/** A No is always `decline`, so that the turn goes on and the model learns of it. An exact rule of ours is one `accept`. */
function decisionWord({ choice }: Decision): string {
  if (choice === "deny") return "decline";
  return choice === "session" ? "acceptForSession" : "accept";
}

function oldDecisionWord({ choice }: Decision): string {
  if (choice === "deny") return "denied";
  return choice === "session" ? "approved_for_session" : "approved";
}

function commandQuestion(params: Fields, context: RequestContext): Question {
  const { command } = params;
  const text = typeof command === "string" ? command : listOf(command).map(String).join(" ");
  const shown = text === "" ? "(codex did not say which command)" : text;
  const base = common(params, context);
  const args = { command: shown, cwd: base.cwd };
  return { ...base, tool: "exec_command", args, summary: shown, effect: "local" };
}

async function patchQuestion(params: Fields, context: RequestContext): Promise<Question> {
  const changes = await context.changesOf(idIn(params, "itemId") ?? "");
  const root = textIn(params, "grantRoot");
  const grant = root === undefined ? "" : ` (grants write to ${root})`;
  return {
    ...common(params, context),
    tool: "apply_patch",
    args: { changes: (changes ?? []).map(({ path, kind }) => ({ path, kind })) },
    summary: `apply_patch: ${changeSummary(changes)}${grant}`,
    effect: "local",
  };
}

function oldPatchQuestion(params: Fields, context: RequestContext): Question {
  const paths = Object.keys(fieldsOf(params["fileChanges"]));
  const args = { changes: paths.map((path) => ({ path })) };
  const summary = `apply_patch: ${paths.join(", ")}`;
  return { ...common(params, context), tool: "apply_patch", args, summary, effect: "local" };
}

/** `1 add, 2 update: a, b, c`, at most three names. */
function changeSummary(changes: readonly Change[] | undefined): string {
  if (changes === undefined || changes.length === 0) return "details not available";
  const kinds = [...new Set(changes.map((change) => change.kind))].toSorted();
  const counts = kinds.map((kind) => `${changes.filter((change) => change.kind === kind).length} ${kind}`);
  const names = changes.slice(0, 3).map((change) => change.path);
  const more = changes.length > 3 ? `, +${changes.length - 3} more` : "";
  return `${counts.join(", ")}: ${names.join(", ")}${more}`;
}

function permissionQuestion(params: Fields, context: RequestContext): Question {
  const args = fieldsOf(params["permissions"]) as Json;
  const summary = `more permissions: ${JSON.stringify(args)}`;
  return { ...common(params, context), tool: "permissions", args, summary, effect: "external" };
}

/** Asked when an MCP tool needs a yes, and when an MCP server itself asks the person something. */
async function elicitation(params: Fields, context: RequestContext): Promise<unknown> {
  const meta = fieldsOf(params["_meta"]);
  const server = textIn(params, "serverName") ?? "unknown";
  const message = textIn(params, "message") ?? "";
  if (meta["codex_approval_kind"] === "mcp_tool_call") {
    const args = { server, arguments: fieldsOf(meta["tool_params"]) as Json };
    const question = { ...common(params, context), tool: `mcp.${server}`, args, summary: message };
    const { choice } = await ask({ ...question, effect: "external" }, context);
    if (choice === "deny") return declined;
    return {
      action: "accept",
      content: {},
      ...(choice === "session" ? { _meta: { persist: "session" } } : {}),
    };
  }
  if (params["mode"] !== "form") return declined;
  const properties = fieldsOf(fieldsOf(params["requestedSchema"])["properties"]);
  const fields = Object.entries(properties).map(([name, schema]) => formField(name, fieldsOf(schema)));
  const given = await context.ports.inquire({ title: `${server}: ${message}`, fields }, context.signal);
  return given === undefined ? declined : { action: "accept", content: typed(given, properties) };
}

const declined = { action: "decline", content: null } as const;

async function userInput(params: Fields, context: RequestContext): Promise<unknown> {
  const fields = listOf(params["questions"])
    .map(fieldsOf)
    .map((question) => ({
      name: idIn(question, "id") ?? "",
      label: textIn(question, "question") ?? textIn(question, "header") ?? "",
      options: listOf(question["options"]).flatMap((option) => textIn(fieldsOf(option), "label") ?? []),
    }));
  const given = await context.ports.inquire({ title: "The agent asks", fields }, context.signal);
  if (given === undefined) throw new Error("nobody was there to answer");
  return {
    answers: Object.fromEntries(Object.entries(given).map(([name, text]) => [name, { answers: [text] }])),
  };
}

/** Codex does not ask before a host tool runs: the tool box does, and only what was offered can be called. */
async function hostTool(params: Fields, context: RequestContext): Promise<unknown> {
  const name = textIn(params, "tool") ?? "";
  const namespace = textIn(params, "namespace");
  if (!context.offered.has(name) || (namespace !== undefined && namespace !== hostNamespace)) {
    return toolAnswer(false, `There is no tool ${name} here.`);
  }
  const { ok, output } = await context.ports.tools.call(name, params["arguments"] ?? {}, context.signal);
  return toolAnswer(ok, output);
}

const toolAnswer = (success: boolean, text: string): object => ({
  contentItems: [{ type: "inputText", text }],
  success,
});

function common(params: Fields, context: RequestContext): Pick<Question, "cwd" | "reason"> {
  const reason = textIn(params, "reason");
  return { cwd: idIn(params, "cwd") ?? context.cwd, ...(reason === undefined ? {} : { reason }) };
}

function formField(name: string, schema: Fields): Form["fields"][number] {
  const options = listOf(schema["enum"]).map(String);
  const label = textIn(schema, "title") ?? textIn(schema, "description") ?? name;
  return { name, label, ...(options.length === 0 ? {} : { options }) };
}

/** People type words; the form may want numbers and flags. */
function typed(given: Answers, properties: Fields): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(given).map(([name, text]) => {
      const type = fieldsOf(properties[name])["type"];
      if (type === "boolean") return [name, /^(y|yes|true|1)$/i.test(text.trim())];
      return [name, type === "number" || type === "integer" ? Number(text) : text];
    }),
  );
}
