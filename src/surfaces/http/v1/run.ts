import type { Client, InputOf } from "../../../core/calls.ts";
import type { EndedEvent, Envelope } from "../../../core/events.ts";
import type { Acknowledged } from "../../../core/host.ts";
import type { InboxId, ItemId, SessionId, TurnId } from "../../../core/ids.ts";
import type { Item } from "../../../core/items.ts";

/** A piece of an answer, as it comes. */
export type Piece = { readonly of: "text" | "thinking"; readonly text: string };

/** How a turn ended; `null`: it was set aside before it began. */
export type End = (EndedEvent & { readonly turn: TurnId }) | null;

/** A message that was taken, and the turn that comes of it. Whoever leaves does not end it. */
export type Run = Acknowledged & {
  pieces(): AsyncGenerator<Piece, End, void>;
  ended(): Promise<End>;
  leave(): void;
};

export const beginRun = (client: Client, message: InputOf<"turns.send">): Promise<Run> =>
  followedRun(client, typeof message.session === "string" ? message.session : message.session.id, () =>
    client.call("turns.send", message),
  );

/** One that was sent before. */
export async function sameRun(client: Client, inbox: InboxId): Promise<Run> {
  const { session } = await client.call("inputs.get", { inbox });
  return followedRun(client, session, async () => ({ session, inbox, state: "duplicate" }));
}

async function followedRun(
  client: Client,
  session: SessionId,
  send: () => Promise<Acknowledged>,
): Promise<Run> {
  const left = new AbortController();
  // Before it is sent: nothing of its turn is to be missed.
  const live = client.call("sessions.follow", { session }, left.signal)[Symbol.asyncIterator]();
  const first = live.next();
  first.catch(() => {}); // what is wrong with it, sending says, too
  try {
    const sent = await send();
    const ended = (): Promise<End> => client.call("turns.wait", { inbox: sent.inbox });
    return {
      ...sent,
      ended,
      leave: () => left.abort(),
      pieces: () => pieces(client, sent.inbox, { live, first, ended: ended() }),
    };
  } catch (error) {
    left.abort();
    throw error;
  }
}

type Sources = {
  readonly live: AsyncIterator<Envelope>;
  readonly first: Promise<IteratorResult<Envelope>>;
  readonly ended: Promise<End>;
};

/** What is live comes as it comes; what was missed of it is read when the turn has ended. */
async function* pieces(client: Client, inbox: InboxId, sources: Sources): AsyncGenerator<Piece, End, void> {
  const { live, ended } = sources;
  const isOurs = turnOf(client, inbox);
  const told = teller();
  let next: typeof sources.first | undefined = sources.first;
  let end: End | undefined;
  const over = ended.then((value) => ({ end: value }));
  while (next !== undefined && end === undefined) {
    const got: IteratorResult<Envelope> | { readonly end: End } | undefined = await Promise.race([
      next,
      over,
    ]).catch(() => undefined);
    next = undefined;
    if (got === undefined || ("done" in got && got.done === true)) break;
    if ("end" in got) end = got.end;
    else {
      next = live.next();
      if (await isOurs(got.value.turn)) yield* told.hear(got.value);
    }
  }
  end ??= await ended;
  if (end === null) return null;
  const items = await client.call("sessions.items", { turn: end.turn }).catch(() => []);
  for (const item of items) yield* told.rest(item);
  return end;
}

function turnOf(client: Client, inbox: InboxId): (turn: TurnId) => Promise<boolean> {
  const known = new Map<TurnId, boolean>();
  return async (turn) => {
    const is = known.get(turn) ?? (await client.call("inputs.get", { inbox })).turn === turn;
    known.set(turn, is);
    return is;
  };
}

/** Says each word once, whether it comes in pieces or with its whole item. */
function teller() {
  const said = new Map<ItemId, string>();
  let any = false;
  function* tell(id: ItemId, of: Piece["of"], text: string): Generator<Piece, void, void> {
    if (text === "") return;
    const isNext = of === "text" && any && (said.get(id) ?? "") === "";
    if (of === "text") any = true;
    said.set(id, (said.get(id) ?? "") + text);
    yield { of, text: isNext ? `\n\n${text}` : text };
  }
  function* rest(item: Item): Generator<Piece, void, void> {
    if (item.kind !== "text" && item.kind !== "thinking") return;
    const before = said.get(item.id) ?? "";
    if (item.text.startsWith(before)) yield* tell(item.id, item.kind, item.text.slice(before.length));
  }
  function* hear(event: Envelope): Generator<Piece, void, void> {
    if (event.type === "begin") said.set(event.item.id, "");
    // Of what did not begin here, the beginning was missed.
    if (event.type === "delta" && event.of !== "output" && said.has(event.item))
      yield* tell(event.item, event.of, event.text);
    if (event.type === "item") yield* rest(event.item);
  }
  return { hear, rest };
}
