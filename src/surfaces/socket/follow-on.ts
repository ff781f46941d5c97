import type { InputOf } from "../../core/calls.ts";
import type { FollowedEvent, LoggedEvent } from "../../core/event-log.ts";
import type { Envelope } from "../../core/events.ts";
import type { OpenClient } from "../../core/host.ts";
import { type TurnId, asId } from "../../core/ids.ts";
import { PeerClosedError } from "../../lib/rpc/rpc-peer.ts";
import type { ReplaceableHost } from "./replaceable-host.ts";

/** The log, behind the last cursor that was read. */
export async function* logOn(
  host: ReplaceableHost,
  input: InputOf<"events.follow">,
  signal: AbortSignal | undefined,
): AsyncGenerator<FollowedEvent, void, void> {
  let after = input.after;
  for (let client = await host.current(); ;) {
    try {
      for await (const event of client.call("events.follow", { ...input, ...(after && { after }) }, signal)) {
        if ("cursor" in event) after = event.cursor;
        yield event;
      }
      return;
    } catch (error) {
      if (!(error instanceof PeerClosedError) || host.isClosed()) throw error;
      client = await host.replace(client);
    }
  }
}

/** A session, with what was committed and not seen when its host went, and one line that says that it went. */
export function followOn(
  host: ReplaceableHost,
  input: InputOf<"sessions.follow">,
  signal: AbortSignal | undefined,
): AsyncIterable<Envelope> {
  const seen = seenEvents();
  // Whoever has left, or closed everything, does not hear that it could not be read to its end.
  const isLeft = (): boolean => signal?.aborted === true || host.isClosed();
  // With the call, as in a process: what is sent next is heard of.
  const first = host
    .current()
    .then((client) => ({ client, events: client.call("sessions.follow", input, signal) }));
  return (async function* () {
    using _ = host.followed();
    for (let from = await first; ;) {
      try {
        for await (const told of from.events) {
          if (seen.isOld(told) || (told.type === "said" && input.elsewhere !== true)) continue;
          const event = seen.asBegun(told);
          seen.add(event);
          yield event;
        }
        return;
      } catch (error) {
        if (isLeft()) return;
        if (!(error instanceof PeerClosedError)) throw error;
      }
      yield goneNotice(host.gone(), input.session, seen.lastTurn());
      const client = await host.replace(from.client);
      // A host that was only about to end may still run the turn: then it is another process now.
      const wanted = { ...input, elsewhere: true };
      from = { client, events: client.call("sessions.follow", wanted, signal) };
      try {
        for await (const event of missed(client, host.cursor, input, seen, signal)) yield event;
      } catch (error) {
        if (isLeft()) return;
        throw error;
      }
      seen.replaced();
    }
  })();
}

const goneNotice = (text: string, session: Envelope["session"], turn: TurnId | undefined): Envelope => ({
  v: 1,
  seq: 0,
  session,
  turn: turn ?? asId<"trn">(""),
  type: "notice",
  code: "host_gone",
  text,
});

/** What of the log was not told before. */
async function* missed(
  client: OpenClient,
  after: string,
  { session }: InputOf<"sessions.follow">,
  seen: ReturnType<typeof seenEvents>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Envelope, void, void> {
  for await (const event of client.call("events.follow", { of: "all", after, once: true }, signal)) {
    if (!("number" in event) || event.session !== session || event.turn === undefined) continue;
    const told = envelopeOf(event, event.turn);
    if (told === undefined || seen.has(told)) continue;
    seen.add(told);
    yield told;
  }
}

function envelopeOf(event: LoggedEvent, turn: TurnId): Envelope | undefined {
  const header = { v: 1, seq: 0, session: event.session, turn } as const;
  switch (event.type) {
    case "item":
      return { ...header, type: "item", item: event.item };
    case "notice":
      return { ...header, type: "notice", code: event.code, text: event.text };
    case "approval":
      return { ...header, type: "approval", approval: event.approval };
    case "inquiry":
      return { ...header, type: "inquiry", inquiry: event.inquiry };
    case "started": {
      const { runtime, cwd, model = "" } = event;
      return { ...header, type: "started", runtime, cwd, model };
    }
    case "ended": {
      const { cursor: _cursor, number: _number, at: _at, ...ended } = event;
      return { ...ended, ...header };
    }
    default:
      return undefined;
  }
}

/** By what names each thing that is kept. */
function seenEvents() {
  const names = new Set<string>();
  const begunHere = new Set<TurnId>();
  let before: ReadonlySet<string> = new Set();
  let turn: TurnId | undefined;
  return {
    add(event: Envelope): void {
      if (event.type !== "notice" || event.code !== "host_gone") turn = event.turn;
      const name = nameOf(event);
      if (name !== undefined) names.add(name);
      if (event.type === "started" && event.elsewhere !== true) begunHere.add(event.turn);
      if (event.type === "ended") begunHere.delete(event.turn);
    },
    has: (event: Envelope): boolean => names.has(nameOf(event) ?? ""),
    /** The next host tells a turn that it did not run from its start: what was told before it came, words typed here included. */
    isOld: (event: Envelope): boolean =>
      event.elsewhere === true &&
      (before.has(nameOf(event) ?? "") || (before.has(`started ${event.turn}`) && event.type === "said")),
    /**
     * To the next host it is a turn of another process. Whoever was told of its start as one of theirs waits for its end, and
     * would wait for ever if that were told as somebody else's.
     */
    asBegun(event: Envelope): Envelope {
      if (event.elsewhere !== true || !begunHere.has(event.turn)) return event;
      const { elsewhere: _elsewhere, ...here } = event;
      return here;
    },
    replaced: (): void => void (before = new Set(names)),
    lastTurn: () => turn,
  };
}

function nameOf(event: Envelope): string | undefined {
  switch (event.type) {
    case "started":
    case "ended":
      return `${event.type} ${event.turn}`;
    case "item":
      return `item ${event.turn} ${event.item.id}`;
    case "notice":
      return `notice ${event.turn} ${event.code} ${event.text}`;
    case "approval":
      return `approval ${event.approval.id} ${event.approval.decision === undefined ? "asked" : "decided"}`;
    case "inquiry":
      return `inquiry ${event.inquiry.id} ${event.inquiry.closed ?? "asked"}`;
    default:
      return undefined;
  }
}
