import { connect } from "node:net";
import type { Calls, InputOf, OperationName } from "../../core/calls.ts";
import type { ServeStatus } from "../../core/serving/door.ts";
import type { ToolClient } from "../../core/host.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { RpcError } from "../../lib/rpc/rpc-message.ts";
import type { PeerClosedError, RpcPeer } from "../../lib/rpc/rpc-peer.ts";
import { operationNamed } from "../../operations/table.ts";
import type { ServeFile } from "./place.ts";
import { type Hello, type Welcome, failureCode, failureError, isWireFailure } from "./protocol.ts";
import { silentFault, silentHost, silentNotice, watchSilence } from "./silence.ts";
import { socketPeer } from "./socket-peer.ts";
import { type TakenStreams, takenStreams } from "./taken-streams.ts";
import { type ToolLine, toolLine } from "./tool-line.ts";

/** Whatever is under way rejects with `PeerClosedError` when the host goes. */
export type SocketClient = ToolClient & {
  readonly welcome: Welcome;
  readonly closed: Promise<PeerClosedError>;
  status(): Promise<ServeStatus>;
};

/** Where a host listens, and which process it is. */
type HostPlace = Pick<ServeFile, "socket" | "pid">;

/**
 * Rejects with a Refusal when the host says no, or with the error of the system when nobody listens. `tell` hears what nobody
 * could be told who follows a session.
 */
export async function connectTo(
  { socket, pid }: HostPlace,
  hello: Hello,
  signal: AbortSignal,
  tell: (line: string) => void,
  clock: Clock = systemClock,
): Promise<SocketClient> {
  const taken: { streams?: TakenStreams; tools?: ToolLine } = {};
  const peer = socketPeer(connect(socket), {
    onNotification(method, params) {
      taken.streams?.take(method, params);
      taken.tools?.take(method, params);
    },
    onRequest: (request) => taken.tools?.answer(request),
  });
  const ask = async (method: string, params: unknown, until = signal): Promise<unknown> =>
    peer.request(method, params, until).catch((error: unknown) => {
      throw understood(error);
    });
  const never = new AbortController().signal;
  const streams = (taken.streams = takenStreams(peer));
  const tools = (taken.tools = toolLine((method, params, stop) => called(peer, method, params, stop)));
  let silent = new AbortController();
  try {
    const welcome = (await ask("hello", hello)) as Welcome;
    const onSilent = (): void => {
      const told = streams.say("sessions.follow", (input) =>
        silentNotice(input as InputOf<"sessions.follow">, pid),
      );
      if (told === 0) tell(silentHost(pid));
      silent.abort(silentFault(pid));
    };
    const onThere = (): void => void (silent.signal.aborted && (silent = new AbortController()));
    void watchSilence(peer, clock, onSilent, onThere);
    // Whoever wants to stop does not want to wait; a host that comes back still finds that it was asked to.
    const patience = (name: OperationName, stop = never): AbortSignal =>
      name === "turns.stop" ? AbortSignal.any([stop, silent.signal]) : stop;
    return {
      welcome,
      closed: peer.closed,
      status: () => ask("status", {}) as Promise<ServeStatus>,
      call(name, input, stop) {
        const given =
          operationNamed.get(name)?.stream === true
            ? streams.open(name, input, stop)
            : called(peer, "call", () => ({ name, input }), patience(name, stop));
        return given as ReturnType<Calls[typeof name]>;
      },
      openTools: tools.open,
      async [Symbol.asyncDispose]() {
        peer.close("we left");
      },
    };
  } catch (error) {
    peer.close("it came to nothing");
    throw error;
  }
}

let lastCall = 0;

async function called(
  peer: RpcPeer,
  method: string,
  params: (call: number) => object,
  signal: AbortSignal,
): Promise<unknown> {
  const call = (lastCall += 1);
  const cancel = (): void => peer.notify("cancel", { call });
  signal.addEventListener("abort", cancel, { once: true });
  try {
    return await peer.request(method, { call, ...params(call) }, signal);
  } catch (error) {
    throw understood(error);
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

const understood = (error: unknown): unknown =>
  error instanceof RpcError && error.code === failureCode && isWireFailure(error.data)
    ? failureError(error.data)
    : error;
