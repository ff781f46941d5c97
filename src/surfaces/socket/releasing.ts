import { connect } from "node:net";
import type { Calls } from "../../core/calls.ts";
import type { HostStatus, OpenClient } from "../../core/host.ts";
import { systemClock, timeLimit } from "../../lib/clock.ts";
import { socketPeer } from "./socket-peer.ts";

const releaseMs = 2000;

/** A client beside a host that it does not use: whatever that keeps of a session between turns, it lets go before one is sent. */
export const releasing = (client: OpenClient, socket: string): OpenClient => ({
  ...client,
  call(name, input, signal) {
    if (name !== "turns.send") return client.call(name, input, signal);
    const { session } = input as { readonly session: unknown };
    const released = typeof session === "string" ? release(socket, session) : Promise.resolve();
    const send = () => client.call(name, input, signal) as Promise<unknown>;
    return released.then(send) as ReturnType<Calls[typeof name]>;
  },
});

/** With more to say at its start. */
export function warned(client: OpenClient, ...lines: readonly string[]): OpenClient {
  if (lines.length === 0) return client;
  const add = (status: HostStatus): HostStatus => ({
    ...status,
    warnings: [...new Set([...status.warnings, ...lines])],
  });
  return {
    ...client,
    call(name, input, signal) {
      if (name !== "host.status") return client.call(name, input, signal);
      return client.call("host.status", {}, signal).then(add) as unknown as ReturnType<Calls[typeof name]>;
    },
  };
}

/** If that does not work, the turn itself says what is in its way. */
async function release(path: string, session: string): Promise<void> {
  const peer = socketPeer(connect(path), { onNotification: () => {} });
  using limit = timeLimit(systemClock, releaseMs, { hold: true });
  await peer.request("release", { session }, limit.signal).catch(() => {});
  peer.close();
}
