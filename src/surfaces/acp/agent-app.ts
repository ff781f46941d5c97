import {
  type AgentApp,
  type AgentCapabilities,
  type AgentContext,
  type InitializeRequest,
  type InitializeResponse,
  PROTOCOL_VERSION,
  RequestError,
  agent,
  methods,
} from "@agentclientprotocol/sdk";
import { toFailure } from "../../core/failure.ts";
import { isPlainObject } from "../../core/json.ts";
import { type Editor, editorOf } from "./editor.ts";
import type { Opening } from "./opening.ts";
import type { OpenSessions } from "./sessions.ts";

const { initialize, session } = methods.agent;

/** What editors may ask of us, on the protocol's own library. Serves one connection. */
export function agentApp(sessions: OpenSessions, version: string): AgentApp {
  let clientCapabilities: InitializeRequest["clientCapabilities"];
  const app = agent({ name: "talaria" }).onRequest(initialize, ({ params }) => {
    clientCapabilities = params.clientCapabilities;
    return introduction(version);
  });
  conversationMethods(app, sessions);
  openingMethods(app, sessions, (client) => editorOf(client, clientCapabilities));
  return app.onNotification(session.cancel, ({ params }) => sessions.get(params.sessionId).cancel());
}

const introduction = (version: string): InitializeResponse => ({
  protocolVersion: PROTOCOL_VERSION,
  agentInfo: { name: "talaria", title: "Talaria", version },
  agentCapabilities: capabilities,
  authMethods: [],
});

const sessionCapabilities = { list: {}, resume: {}, close: {}, delete: {}, fork: {} };

const capabilities: AgentCapabilities = {
  loadSession: true,
  promptCapabilities: { image: true, audio: false, embeddedContext: true },
  mcpCapabilities: { http: false, sse: false },
  sessionCapabilities,
};

function conversationMethods(app: AgentApp, sessions: OpenSessions): void {
  app
    .onRequest(
      session.prompt,
      withRequestErrors(({ params, signal }) => sessions.get(params.sessionId).prompt(params.prompt, signal)),
    )
    .onRequest(
      session.setMode,
      withRequestErrors(async ({ params }) => {
        await sessions.get(params.sessionId).choose("runtime", params.modeId);
      }),
    )
    .onRequest(
      session.setConfigOption,
      withRequestErrors(async ({ params: { sessionId, configId, value } }) => {
        const { configOptions } = await sessions.get(sessionId).choose(configId, String(value));
        return { configOptions };
      }),
    );
}

function openingMethods(
  app: AgentApp,
  sessions: OpenSessions,
  editor: (client: AgentContext) => Editor,
): void {
  app
    .onRequest(
      session.new,
      withRequestErrors(({ params, client }) => sessions.begin(editor(client), params)),
    )
    .onRequest(
      session.load,
      withRequestErrors(({ params, client }) =>
        sessions.resume(editor(client), params.sessionId, params, true),
      ),
    )
    .onRequest(
      session.resume,
      withRequestErrors(({ params, client }) =>
        sessions.resume(editor(client), params.sessionId, params, false),
      ),
    )
    .onRequest(
      forkMethod,
      forkParams,
      withRequestErrors(({ params, client }) => sessions.fork(editor(client), params.sessionId, params)),
    )
    .onRequest(
      session.list,
      withRequestErrors(({ params }) => sessions.list(params)),
    )
    .onRequest(
      session.close,
      withRequestErrors(({ params }) => sessions.close(params.sessionId)),
    )
    .onRequest(
      session.delete,
      withRequestErrors(({ params }) => sessions.delete(params.sessionId)),
    );
}

/** Whatever goes wrong is said as an editor shows it. */
const withRequestErrors =
  <Context, Result>(handle: (context: Context) => Result) =>
  async (context: Context): Promise<Awaited<Result>> => {
    try {
      return await handle(context);
    } catch (error) {
      throw requestError(error);
    }
  };

/** Not a part of the stable protocol yet, but some editors ask for it. */
const forkMethod = "session/fork";

function forkParams(params: unknown): Opening & { readonly sessionId: string } {
  const fields = isPlainObject(params) ? params : {};
  const { sessionId, cwd } = fields;
  if (typeof sessionId !== "string" || typeof cwd !== "string")
    throw RequestError.invalidParams(undefined, "session/fork needs sessionId and cwd");
  return { sessionId, cwd };
}

/** As an editor shows it: all in the message, because what stands beside it is shown raw or not at all. */
function requestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  const { code, message, next } = toFailure(error);
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`;
  return new RequestError(codes.get(code) ?? internal, `${sentence} ${next}`);
}

const internal = -32_603;

/** Not -32000 for a lack of login: it would open a dialogue of the editor that has nothing to offer. */
const codes: ReadonlyMap<string, number> = new Map([
  ["usage", -32_602],
  ["config", -32_602],
  ["not_found", -32_002],
]);
