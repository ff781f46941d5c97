import type { Socket } from "node:net";
import type { BehindDoor } from "../../core/serving/door.ts";
import { Refusal } from "../../core/host.ts";
import { asId } from "../../core/ids.ts";
import { type Fields, fieldsOf } from "../../core/json.ts";
import { type Caller, localOwner, localProgram } from "../../core/principal.ts";
import { RpcError } from "../../lib/rpc/rpc-message.ts";
import type { RpcPeer, RpcRequest } from "../../lib/rpc/rpc-peer.ts";
import { hashOf, isSecretOf } from "../../lib/secret.ts";
import { type Edge, edge } from "../../operations/edge.ts";
import { type Welcome, failureCode, protocolVersion, schemaVersion, wireFailure } from "./protocol.ts";
import { type SentStreams, sentStreams } from "./sent-streams.ts";
import { drainOf, socketPeer } from "./socket-peer.ts";
import { type ToolDoor, toolDoor } from "./tool-door.ts";

export type Connection = {
  /** It uses the host, and does not only look at it. */
  isAttached(): boolean;
  readonly closed: Promise<unknown>;
  close(): void;
};

type Behind = BehindDoor & { readonly token: string; readonly onCalled: (name: string) => void };

type Line = { readonly peer: RpcPeer; readonly drained: () => Promise<void> | undefined };

/** `tools`: of a program that has them for its own model. */
type Inside = { readonly edge: Edge; readonly streams: SentStreams; readonly tools?: ToolDoor };

/** Programs that attach. What they say of themselves goes into rows, so it is one of these. */
const surfaces: ReadonlySet<string> = new Set(["cli", "tui", "acp", "mcp"]);

/** One program at the other end. When it goes, what it follows ends and what it began goes on. */
export function connection(socket: Socket, behind: Behind): Connection {
  const state: State = { calls: new Map() };
  const drained = drainOf(socket);
  const peer: RpcPeer = socketPeer(socket, {
    onRequest: (request) => answer(state, behind, { peer, drained }, request).catch(refuse),
    onNotification(method, params) {
      const { call: id, stream, more } = fieldsOf(params);
      if (method === "cancel") state.calls.get(id)?.abort();
      if (method === "credit") state.inside?.streams.credit(Number(stream), Number(more));
      if (method === "leave") state.inside?.streams.leave(Number(stream));
      if (method === "stop") state.inside?.streams.stop(Number(stream));
    },
    onHandlerError: (error) => behind.log("socket", { error: String(error) }),
  });
  const closed = peer.closed.then((why) => {
    state.inside?.streams.end();
    void state.inside?.tools?.[Symbol.asyncDispose]();
    return why;
  });
  return { isAttached: () => state.used === true, closed, close: () => peer.close() };
}

/** `used`: it has asked for more than what the host does. */
type State = {
  inside?: Inside;
  surface?: string;
  used?: true;
  readonly calls: Map<unknown, AbortController>;
};

async function answer(
  state: State,
  behind: Behind,
  line: Line,
  { method, params }: RpcRequest,
): Promise<unknown> {
  const { host, version } = behind;
  const given = fieldsOf(params);
  if (method === "version") return { protocol: protocolVersion, schema: schemaVersion, version };
  if (method === "release") return host.release(asId<"ses">(String(given["session"])));
  if (method === "hello") return hello(state, behind, line, given);
  const { inside } = state;
  if (inside === undefined) throw new Refusal("refused", "Say hello first.", "Show the token of this start.");
  if (method === "status") return behind.status();
  if (state.used === undefined) behind.log("attached", { surface: state.surface });
  state.used = true;
  if (method === "call") return call(state, inside.edge, behind.onCalled, given);
  if (inside.tools !== undefined && method === "tools") return inside.tools.open(given);
  if (inside.tools !== undefined && method === "offered") return inside.tools.list(given);
  if (inside.tools !== undefined && method === "tool")
    return cancelled(state, given, (signal) => inside.tools?.call(given, signal));
  if (method === "open") {
    const { stream, name, input, left } = given;
    const start = (signal: AbortSignal) => inside.edge.stream(String(name), input, signal);
    inside.streams.open(Number(stream), start, left === true);
    return null;
  }
  throw new Refusal("not_found", `There is no method ${method.slice(0, 60)}.`, "Attach with this version.");
}

async function hello(
  state: State,
  { host, token: expected, version, isStopping }: Behind,
  { peer, drained }: Line,
  { protocol, schema, token, surface, terminal }: Fields,
): Promise<Welcome> {
  if (!isSecretOf(hashOf(expected), String(token)))
    throw new Refusal("refused", "That is not the token of this start.", "Read it anew.");
  if (protocol !== protocolVersion || schema !== schemaVersion)
    throw new Refusal("usage", `It is version ${version}.`, "Use the same version on both ends.");
  if (!surfaces.has(String(surface)))
    throw new Refusal("usage", "Nobody attaches from there.", "Use a command of talaria.");
  const from = (state.surface = String(surface));
  // Behind its tools is another model, and nobody of whom we know that they sit here.
  const isProgram = from === "mcp";
  const caller: Caller = isProgram
    ? localProgram(from)
    : { ...localOwner(from), terminal: textsOf(terminal) };
  state.inside ??= {
    edge: edge(host.as(caller)),
    streams: sentStreams(peer, drained),
    ...(isProgram ? { tools: toolDoor(host.openTools, from, peer) } : {}),
  };
  for await (const first of host.as(localOwner(from)).call("events.follow", { of: "all" }))
    if (first.type === "resume") return { version, cursor: first.cursor, stopping: isStopping?.() === true };
  throw new Error("the event log does not begin");
}

async function call(
  state: State,
  to: Edge,
  onCalled: (name: string) => void,
  given: Fields,
): Promise<unknown> {
  const name = String(given["name"]);
  const answered = await cancelled(state, given, (signal) => to.ask(name, given["input"], signal));
  onCalled(name);
  return answered;
}

/** The other end can take back what it has asked for. */
async function cancelled(
  { calls }: State,
  { call: id }: Fields,
  work: (signal: AbortSignal) => Promise<unknown> | undefined,
): Promise<unknown> {
  const stop = new AbortController();
  calls.set(id, stop);
  try {
    return await work(stop.signal);
  } finally {
    calls.delete(id);
  }
}

const textsOf = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fieldsOf(value)).flatMap(([name, text]) =>
      typeof text === "string" ? [[name, text] as const] : [],
    ),
  );

function refuse(error: unknown): never {
  const failure = wireFailure(error);
  throw new RpcError(failureCode, failure.message, failure);
}
