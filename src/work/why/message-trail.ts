import { chatName, isPlatform } from "../../core/gateway/chat.ts";
import type { ReceivedMessage, StoredOutbox } from "../../core/gateway/tables.ts";
import type { InboxId } from "../../core/ids.ts";
import { type Principal, isSamePerson } from "../../core/principal.ts";
import type { StoredInput, StoredTurn } from "../../core/session.ts";
import type { Store } from "../../store/store.ts";

/** A message of a chat and all that came of it, as far as it got. */
export type MessageTrail = {
  /** The first has made the input, with those behind it. */
  readonly received: readonly ReceivedMessage[];
  readonly input?: StoredInput;
  readonly turn?: StoredTurn;
  readonly parts: readonly StoredOutbox[];
  /** Others that have the same name on their platform, in other chats. */
  readonly others: readonly string[];
};

type Tables = Pick<Store, "received" | "outbox" | "inbox" | "turns">;

/**
 * By an id of ours (`rcv_…`, `obx_…`, `inb_…`), how it begins, or the platform's own. `by`: of theirs alone, and that of others is not
 * there. `undefined`: no chat has had such a message.
 */
export async function messageTrail(
  store: Tables,
  id: string,
  by?: Pick<Principal, "surface" | "id">,
): Promise<MessageTrail | undefined> {
  if (id.startsWith("inb_")) {
    const input = await store.inbox.get(id as InboxId);
    return input !== undefined && isPlatform(input.key.surface) && isOf(input.from, by)
      ? ofInput(store, input)
      : undefined;
  }
  const came = id.startsWith("obx_") ? [] : (await store.received.find(id)).filter(isTheirs);
  const [first, ...more] = came;
  if (first !== undefined) return { ...(await ofReceived(store, first)), others: more.map((row) => row.id) };
  const went = id.startsWith("rcv_") ? [] : await store.outbox.find(id);
  for (const row of went) {
    const trail = await ofPart(store, row);
    if (by === undefined || (trail.input !== undefined && isOf(trail.input.from, by))) return trail;
  }
  return undefined;

  function isTheirs({ message: { address, from } }: ReceivedMessage): boolean {
    return isOf({ surface: address.surface, id: from.id }, by);
  }
}

const isOf = (
  from: Pick<Principal, "surface" | "id">,
  by: Pick<Principal, "surface" | "id"> | undefined,
): boolean => by === undefined || isSamePerson(from as Principal, by as Principal);

async function ofReceived(store: Tables, row: ReceivedMessage): Promise<MessageTrail> {
  const input = row.inbox === undefined ? undefined : await store.inbox.get(row.inbox);
  if (input !== undefined) return ofInput(store, input, row);
  return { received: [row], parts: [], others: [] };
}

async function ofInput(store: Tables, input: StoredInput, known?: ReceivedMessage): Promise<MessageTrail> {
  const { key, turn: id } = input;
  const named = (await store.received.find(key.messageId)).filter(
    ({ message: { address } }) =>
      address.surface === key.surface && address.account === key.account && chatName(address) === key.chat,
  );
  const received =
    known === undefined || named.some((row) => row.id === known.id) ? named : [...named, known];
  const turn = id === undefined ? undefined : await store.turns.get(id);
  return {
    received,
    input,
    ...(turn === undefined ? {} : { turn }),
    parts: turn === undefined ? [] : await store.outbox.ofTurn(turn.id),
    others: [],
  };
}

/** What was said to a chat without a turn (a question, a notice) is all there is. */
async function ofPart(store: Tables, row: StoredOutbox): Promise<MessageTrail> {
  const turn = row.turn === undefined ? undefined : await store.turns.get(row.turn);
  const input = turn && (await store.inbox.get(turn.inbox));
  if (input === undefined) return { received: [], parts: [row], others: [] };
  return ofInput(store, input);
}
