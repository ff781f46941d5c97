import type { TurnEvent } from "../../../core/events.ts";
import { type RecordedFrame, parseRecording } from "./recording.ts";
import {
  type Connection,
  newConnection,
  processExited,
  received,
  sent,
  timePassed,
} from "./replay-connection.ts";

export type ReplayedTurn = {
  readonly client?: string;
  readonly threadId: string;
  readonly turnId: string;
  readonly events: readonly TurnEvent[];
};

export type Replay = {
  readonly turns: readonly ReplayedTurn[];
  /** One line for people. */
  readonly summary: string;
};

/**
 * What the turns of a recording said, from the frames alone: no clock, no process, same lines, same events. Where
 * several clients shared one codex, each is its own view. A turn that the recording does not see end has no `ended`.
 */
export function replay(lines: Iterable<string>): Replay {
  const connections = new Map<string, Connection>();
  let unreadable = 0;
  for (const line of lines) {
    const frame = parseRecording(line);
    if (frame === undefined && line.trim() !== "") unreadable += 1;
    if (frame !== undefined) feed(connections, frame);
  }
  for (const connection of connections.values()) timePassed(connection, Number.POSITIVE_INFINITY);
  const turns = [...connections].flatMap(([client, connection]) =>
    [...connection.turns.values()].map(({ state: { threadId, turnId }, events }) => ({
      ...(client === "" ? {} : { client }),
      threadId,
      turnId,
      events,
    })),
  );
  return { turns, summary: summaryOf(turns, driftOf(connections), unreadable) };
}

function feed(connections: Map<string, Connection>, frame: RecordedFrame): void {
  for (const connection of connections.values()) timePassed(connection, frame.ms);
  if (frame.dir === "note") return;
  if (frame.dir === "exit") {
    for (const connection of connections.values()) processExited(connection, frame.msg, frame.ms);
    return;
  }
  const client = frame.client ?? "";
  const connection = connections.get(client) ?? newConnection();
  connections.set(client, connection);
  if (frame.dir === "c>s") sent(connection, frame.msg);
  if (frame.dir === "s>c") received(connection, frame.msg, frame.ms);
}

function driftOf(connections: ReadonlyMap<string, Connection>): ReadonlyMap<string, number> {
  const drift = new Map<string, number>();
  for (const { turns } of connections.values())
    for (const { state } of turns.values())
      for (const [name, times] of state.drift) drift.set(name, (drift.get(name) ?? 0) + times);
  return drift;
}

function summaryOf(
  turns: readonly ReplayedTurn[],
  drift: ReadonlyMap<string, number>,
  unreadable: number,
): string {
  const events = turns.flatMap((turn) => turn.events);
  const ends = events.flatMap((event) =>
    event.type === "ended"
      ? [event.fault === undefined ? event.outcome : `${event.outcome} (${event.fault.code})`]
      : [],
  );
  const counts = Map.groupBy(ends, (end) => end);
  const open = turns.length - ends.length;
  const kinds = [...counts].map(([end, list]) => `${list.length} ${end}`);
  const items = events.filter((event) => event.type === "item").length;
  return [
    `${turns.length} ${turns.length === 1 ? "turn" : "turns"}: ${[...kinds, ...(open > 0 ? [`${open} without end`] : [])].join(", ") || "none"}`,
    `${items} ${items === 1 ? "item" : "items"}`,
    ...(drift.size === 0
      ? []
      : [`unexpected: ${[...drift].map(([name, times]) => `${name} ×${times}`).join(", ")}`]),
    ...(unreadable === 0 ? [] : [`unreadable lines: ${unreadable}`]),
  ].join("; ");
}
