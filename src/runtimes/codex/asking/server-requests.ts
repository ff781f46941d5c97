import { isDeepStrictEqual } from "node:util";
import type { Decision, Question, Answers, Form } from "../../../core/asking.ts";
import type { CallHead } from "../../../core/items.ts";
import type { Json } from "../../../core/json.ts";
import { rpcCodes } from "../../../lib/rpc/rpc-message.ts";
import type { Ports } from "../../runtime.ts";
import type { RequestFrame } from "../connection/frame.ts";
import { hostNamespace } from "../thread-settings/offered-tools.ts";
import type { Change } from "../wire/call-item.ts";
import { type Fields, fieldsOf, idIn, textIn, listOf } from "../wire/fields.ts";
import { withRealPaths } from "./real-paths.ts";
import {
  type Asker,
  commandQuestion,
  mcpQuestion,
  oldPatchQuestion,
  patchQuestion,
  permissionQuestion,
} from "./questions.ts";

/** What an answer may need of the turn it belongs to. */
export type RequestContext = {
  readonly ports: Pick<Ports, "ask" | "inquire" | "tools">;
  readonly cwd: string;
  readonly thread: string;
  /** Names this connection to this process of codex. */
  readonly epoch: string;
  /** Aborts when nobody waits for the answer any more: the turn is over, or codex has settled it itself. */
  readonly signal: AbortSignal;
  /** Aborts when the person stopped the turn. */
  readonly stop: AbortSignal;
  readonly offered: ReadonlySet<string>;
  /** Shows what a host tool writes while it runs. `call`: the request. */
  onProgress(call: Fields, text: string): void;
  /** The id and name under which the call of a host tool will be an item, if known. `call`: the request. */
  headOf(call: Fields): CallHead | undefined;
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
    const result = await answer(fieldsOf(request.params), { ...context, request: request.id });
    // Codex has withdrawn it. An answer could reach nothing but another request by the same number.
    if (context.signal.aborted && !context.stop.aborted) return;
    request.respond(result);
  } catch (error) {
    request.fail(rpcCodes.internalError, error instanceof Error ? error.message : String(error));
  }
}

type Asked = RequestContext & Asker;
type Answer = (params: Fields, context: Asked) => Promise<unknown>;

const answers: Readonly<Record<string, Answer>> = {
  "item/commandExecution/requestApproval": async (params, context) => ({
    decision: decisionWord(await askWithRealPaths(commandQuestion(params, context), context), context),
  }),
  "item/fileChange/requestApproval": async (params, context) => {
    const changes = await context.changesOf(idIn(params, "itemId") ?? "");
    return {
      decision: decisionWord(
        await askWithRealPaths(patchQuestion(params, context, changes), context),
        context,
      ),
    };
  },
  "item/permissions/requestApproval": async (params, context) => {
    const { choice } = await askWithRealPaths(permissionQuestion(params, context), context);
    return { permissions: choice === "deny" ? {} : fieldsOf(params["permissions"]), scope: "turn" };
  },
  "mcpServer/elicitation/request": elicitation,
  "item/tool/requestUserInput": userInput,
  "item/tool/call": hostTool,
  execCommandApproval: async (params, context) => ({
    decision: oldDecisionWord(await ask(commandQuestion(params, context), context)),
  }),
  applyPatchApproval: async (params, context) => ({
    decision: oldDecisionWord(await askWithRealPaths(oldPatchQuestion(params, context), context)),
  }),
};

/** A yes that comes too late counts as withdrawn. */
async function ask(question: Question, { ports, signal }: RequestContext): Promise<Decision> {
  const decision = await ports.ask(question, signal);
  return signal.aborted ? { choice: "deny", why: "withdrawn" } : decision;
}

/** A yes holds for the files that the paths led to when it was asked. If a link has changed since, it is a no. */
async function askWithRealPaths(question: Question, context: RequestContext): Promise<Decision> {
  const asked = await withRealPaths(question);
  const decision = await ask(asked, context);
  if (decision.choice === "deny" || isDeepStrictEqual(await withRealPaths(question), asked)) return decision;
  return { choice: "deny", why: "policy", reason: "not allowed: its paths lead elsewhere by now" };
}

/**
 * A No is `decline`, so that the turn goes on and the model learns of it; only with Stop it is `cancel`. Every yes is one
 * `accept`: what codex remembers for a session is more than was shown (the same patch with another content, an MCP tool
 * with other arguments, a script that was rewritten), and it is in no ledger. So it asks each time, and a grant of ours
 * answers.
 */
function decisionWord({ choice }: Decision, { stop }: RequestContext): string {
  if (choice === "deny") return stop.aborted ? "cancel" : "decline";
  return "accept";
}

const oldDecisionWord = ({ choice }: Decision): string => (choice === "deny" ? "denied" : "approved");

/** Asked when an MCP tool needs a yes, and when an MCP server itself asks the person something. */
async function elicitation(params: Fields, context: Asked): Promise<unknown> {
  if (fieldsOf(params["_meta"])["codex_approval_kind"] === "mcp_tool_call") {
    const { choice } = await ask(mcpQuestion(params, context), context);
    return choice === "deny" ? declined : { action: "accept", content: {} };
  }
  if (params["mode"] !== "form") return declined;
  const given = await context.ports.inquire(elicitedForm(params), context.signal);
  return given === undefined ? declined : { action: "accept", content: elicitedContent(params, given) };
}

const declined = { action: "decline", content: null } as const;

async function userInput(params: Fields, context: Asked): Promise<unknown> {
  const given = await context.ports.inquire(questionForm(params), context.signal);
  if (given === undefined) throw new Error("nobody was there to answer");
  return questionAnswers(given);
}

/** Codex does not ask before a host tool runs: the tool box does, and only what was offered can be called. */
async function hostTool(params: Fields, context: Asked): Promise<unknown> {
  const name = textIn(params, "tool") ?? "";
  const namespace = textIn(params, "namespace");
  if (!context.offered.has(name) || (namespace !== undefined && namespace !== hostNamespace)) {
    return toolAnswer(false, `There is no tool ${name} here.`);
  }
  const args = params["arguments"] ?? {};
  const progress = (text: string): void => context.onProgress(params, text);
  const head = context.headOf(params);
  const { ok, output } = await context.ports.tools.call(name, args, context.signal, progress, head);
  return toolAnswer(ok, output);
}

const toolAnswer = (success: boolean, text: string): object => ({
  contentItems: [{ type: "inputText", text }],
  success,
});

/** The form that an MCP server wants to have filled in. */
function elicitedForm(params: Fields): Form {
  const server = textIn(params, "serverName") ?? "unknown";
  const fields = Object.entries(propertiesOf(params)).map(([name, schema]) =>
    formField(name, fieldsOf(schema)),
  );
  return { title: `${server}: ${textIn(params, "message") ?? ""}`, fields };
}

/** People type words; the form may want numbers and flags. */
function elicitedContent(params: Fields, given: Answers): Record<string, Json> {
  const properties = propertiesOf(params);
  return Object.fromEntries(
    Object.entries(given).map(([name, text]) => {
      const type = fieldsOf(properties[name])["type"];
      if (type === "boolean") return [name, /^(y|yes|true|1)$/i.test(text.trim())];
      return [name, type === "number" || type === "integer" ? Number(text) : text];
    }),
  );
}

/** Questions of the agent itself. */
function questionForm(params: Fields): Form {
  const fields = listOf(params["questions"])
    .map(fieldsOf)
    .map((question) => ({
      name: idIn(question, "id") ?? "",
      label: textIn(question, "question") ?? textIn(question, "header") ?? "",
      options: listOf(question["options"]).flatMap((option) => textIn(fieldsOf(option), "label") ?? []),
    }));
  return { title: "The agent asks", fields };
}

const questionAnswers = (given: Answers): object => ({
  answers: Object.fromEntries(Object.entries(given).map(([name, text]) => [name, { answers: [text] }])),
});

const propertiesOf = (params: Fields): Fields => fieldsOf(fieldsOf(params["requestedSchema"])["properties"]);

function formField(name: string, schema: Fields): Form["fields"][number] {
  const options = listOf(schema["enum"]).map(String);
  const label = textIn(schema, "title") ?? textIn(schema, "description") ?? name;
  return { name, label, ...(options.length === 0 ? {} : { options }) };
}
