export type RpcId = string | number;

/** One line from the other side, sorted by what it is. */
export type RpcMessage =
  | { readonly kind: "request"; readonly id: RpcId; readonly method: string; readonly params: unknown }
  | { readonly kind: "notification"; readonly method: string; readonly params: unknown }
  | { readonly kind: "result"; readonly id: RpcId; readonly result: unknown }
  | { readonly kind: "error"; readonly id: RpcId; readonly error: RpcError }
  | { readonly kind: "bad"; readonly why: string };

export const rpcCodes = { methodNotFound: -32601, internalError: -32603 } as const;

/** An error of the protocol: received as the answer to our request, or thrown by a handler to give that answer. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = "RpcError";
    this.code = code;
    this.data = data;
  }
}

/** The answer to a request that nobody here knows. */
export const methodNotFound = (method: string): RpcError =>
  new RpcError(rpcCodes.methodNotFound, `Method not found: ${method}`);

/** Total. A `jsonrpc` field is tolerated and not required. */
export function parseRpc(line: string): RpcMessage {
  const message = parseJson(line);
  if (!isObject(message)) return { kind: "bad", why: "not a JSON object" };
  const { id, method, params, error, result } = message;
  if (typeof method === "string") {
    if (id === undefined) return { kind: "notification", method, params };
    if (isId(id)) return { kind: "request", id, method, params };
    return { kind: "bad", why: "a request whose id is neither a string nor a number" };
  }
  if (!isId(id)) return { kind: "bad", why: "neither a method nor an id" };
  if (method !== undefined || params !== undefined)
    return { kind: "bad", why: "a request whose method is missing or no string" };
  if (error === undefined || error === null) return { kind: "result", id, result };
  return { kind: "error", id, error: readError(error) };
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function readError(error: unknown): RpcError {
  const { code, message, data } = isObject(error)
    ? error
    : { code: undefined, message: error, data: undefined };
  return new RpcError(
    typeof code === "number" ? code : rpcCodes.internalError,
    typeof message === "string" ? message : "The other side gave an error without a message.",
    data,
  );
}

const isId = (value: unknown): value is RpcId => typeof value === "string" || typeof value === "number";

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
