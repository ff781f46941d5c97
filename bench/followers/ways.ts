import type { FollowedEvent } from "../../src/core/event-log.ts";
import { connectTo } from "../../src/surfaces/socket/client.ts";
import { protocolVersion, schemaVersion } from "../../src/surfaces/socket/protocol.ts";
import { asOwner } from "../../test/owners-host.ts";
import type { World } from "./world.ts";

/** A connection of its own each time, from behind a cursor. */
export type Way = (world: World, after: string, signal: AbortSignal) => AsyncIterable<FollowedEvent>;

export const ways = { process: inProcess, socket: overSocket, http: overHttp } as const;

function inProcess({ host }: World, after: string, signal: AbortSignal): AsyncIterable<FollowedEvent> {
  return asOwner(host).call("events.follow", { of: "all", after }, signal);
}

async function* overSocket(
  { serving }: World,
  after: string,
  signal: AbortSignal,
): AsyncGenerator<FollowedEvent, void, void> {
  const hello = {
    protocol: protocolVersion,
    schema: schemaVersion,
    token: serving.token,
    surface: "cli",
    terminal: {},
  };
  await using client = await connectTo(serving, hello, signal, () => {});
  yield* client.call("events.follow", { of: "all", after }, signal);
}

async function* overHttp(
  { http }: World,
  after: string,
  signal: AbortSignal,
): AsyncGenerator<FollowedEvent, void, void> {
  const url = `${http.origin}/api/events?after=${encodeURIComponent(after)}`;
  const { body, status } = await fetch(url, { headers: { Authorization: `Bearer ${http.key}` }, signal });
  if (status !== 200 || body === null) throw new Error(`GET /api/events: ${status}`);
  let rest = "";
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + text).split("\n\n");
    rest = frames.pop() ?? "";
    for (const frame of frames) {
      const data = frame.split("\n").find((line) => line.startsWith("data: "));
      if (data !== undefined) yield JSON.parse(data.slice("data: ".length)) as FollowedEvent;
    }
  }
}
