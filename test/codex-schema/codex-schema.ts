import { readFileSync } from "node:fs";
import { isObject, validate, type Schema } from "./json-schema.ts";
import { unknownKeywords } from "./keywords.ts";

/** The wire format of one codex version, from the bundle that `codex app-server generate-json-schema` wrote. */
export type CodexSchema = {
  /** The file of the bundle. */
  readonly file: string;
  /** What a client may ask, in the order of the bundle. */
  readonly clientMethods: readonly string[];
  /** What codex may ask. */
  readonly serverMethods: readonly string[];
  /** Judges the frames of one connection, which it must see in order: an answer is judged by what was asked. */
  conversation(): FrameJudge;
};

export type FrameJudge = {
  /** Problems of a frame that we send: a request, a notification or an answer. Fields that codex would ignore count. */
  validateClientFrame(frame: unknown): string[];
  /** Problems of a frame that codex sends. Fields the bundle does not know are fine. */
  validateServerFrame(frame: unknown): string[];
  /** Only remembers what codex asks, for a fake that need not be judged itself. */
  heed(frame: unknown): void;
};

/** Throws if the bundle holds a keyword that the validator does not understand. */
export function readCodexSchema(file: string): CodexSchema {
  const root = JSON.parse(readFileSync(file, "utf8")) as Schema;
  const foreign = unknownKeywords(root);
  if (foreign.length > 0)
    throw new Error(
      `${file} uses what the validator does not know: ${foreign.slice(0, 5).join(", ")}. Teach it test/codex-schema/json-schema.ts first.`,
    );
  const parts = {
    clientRequest: branches(root, "ClientRequest"),
    clientNotification: branches(root, "ClientNotification"),
    serverRequest: branches(root, "ServerRequest"),
    serverNotification: branches(root, "ServerNotification"),
  };
  return {
    file,
    clientMethods: [...parts.clientRequest.keys()],
    serverMethods: [...parts.serverRequest.keys()],
    conversation() {
      const asked = { byClient: new Map<unknown, string>(), byServer: new Map<unknown, string>() };
      const client = side(root, true, parts.clientRequest, parts.clientNotification, asked.byClient);
      const server = side(root, false, parts.serverRequest, parts.serverNotification, asked.byServer);
      return {
        validateClientFrame: (frame) => client(frame, parts.serverRequest, asked.byServer),
        validateServerFrame: (frame) => server(frame, parts.clientRequest, asked.byClient),
        heed: (frame) => remember(asked.byServer, frame),
      };
    },
  };
}

type Branches = ReadonlyMap<string, Schema>;
type Asked = Map<unknown, string>;

/** Judges what one side says. The third argument is what the other side may ask, the last what it did ask. */
function side(root: Schema, strict: boolean, requests: Branches, notifications: Branches, mine: Asked) {
  const check = (schema: Schema, value: unknown): string[] => validate(root, schema, value, { strict });
  return (frame: unknown, theirs: Branches, askedOfMe: Asked): string[] => {
    if (!isObject(frame)) return ["/: is no JSON object"];
    const { method, id } = frame;
    if (typeof method === "string") {
      const isRequest = id !== undefined;
      remember(mine, frame);
      const schema = (isRequest ? requests : notifications).get(method);
      if (schema === undefined)
        return [`/method: there is no such ${isRequest ? "request" : "notification"}: ${method}`];
      const { trace: _, ...rest } = frame;
      return check(schema, rest);
    }
    if (frame["error"] !== undefined) return check(definition(root, "JSONRPCError"), frame);
    const envelope = check(definition(root, "JSONRPCResponse"), frame);
    if (envelope.length > 0) return envelope;
    const question = askedOfMe.get(id);
    if (question === undefined) return [`/id: answers ${JSON.stringify(id)}, which was not asked`];
    const schema = responseSchema(root, theirs.get(question));
    return schema === undefined
      ? []
      : check(schema, frame["result"]).map((text) => `${question} answer ${text}`);
  };
}

function remember(asked: Asked, frame: unknown): void {
  const { id, method } = isObject(frame) ? frame : {};
  if (id !== undefined && typeof method === "string") asked.set(id, method);
}

/** Requests and notifications by method: each is one branch of its union. */
function branches(root: Schema, union: string): Branches {
  const { oneOf } = definition(root, union) as { readonly oneOf: readonly Schema[] };
  return new Map(
    oneOf.map((branch) => {
      const { properties } = branch as {
        readonly properties: { readonly method: { readonly enum: [string] } };
      };
      return [properties.method.enum[0], branch] as const;
    }),
  );
}

/** The bundle does not say which answer belongs to which question, except by name. Undefined: it has no such name. */
function responseSchema(root: Schema, request: Schema | undefined): Schema | undefined {
  const { params } =
    (request as { readonly properties?: { readonly params?: { readonly $ref?: string } } } | undefined)
      ?.properties ?? {};
  const name = params?.$ref
    ?.split("/")
    .at(-1)
    ?.replace(/Params$/, "Response");
  return name === undefined ? undefined : find(root, name);
}

function definition(root: Schema, name: string): Schema {
  const found = find(root, name);
  if (found === undefined)
    throw new Error(`The schema of codex has no ${name}. Its bundle is laid out differently now.`);
  return found;
}

function find(root: Schema, name: string): Schema | undefined {
  const { definitions } = root as { readonly definitions: Readonly<Record<string, Schema>> };
  const newer = definitions["v2"] as Readonly<Record<string, Schema>> | undefined;
  return definitions[name] ?? newer?.[name];
}
