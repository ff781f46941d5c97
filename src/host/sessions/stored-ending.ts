import type { EndedEnvelope } from "../../core/events.ts";
import { Refusal } from "../../core/host.ts";
import type { InboxId } from "../../core/ids.ts";
import type { StoredInput, StoredTurn } from "../../core/session.ts";
import type { Joined } from "../operations/joined.ts";

type Parts = Pick<Joined, "agent" | "store">;

/**
 * How the turn that took an input ended, where this process did not run it: the one that did is gone, or is another one. `null`
 * if it was set aside. Waits for a turn that still runs elsewhere.
 */
export async function storedEnding(
  { agent, store }: Parts,
  inbox: InboxId,
  signal: AbortSignal | undefined,
): Promise<EndedEnvelope | null> {
  const over = signal ?? new AbortController().signal;
  const input = await inputNamed(store, inbox);
  if (input.state === "kept") return null;
  const known = await endOf(store, input);
  if (known !== undefined) return known;
  // The look behind the first event of the log, so that nothing that ends meanwhile is missed.
  for await (const _ of agent.follow({ of: { session: input.session } }, over)) {
    const now = await inputNamed(store, inbox);
    if (now.state === "kept") return null;
    const ended = await endOf(store, now);
    if (ended !== undefined) return ended;
  }
  throw over.reason;
}

async function inputNamed(store: Parts["store"], inbox: InboxId): Promise<StoredInput> {
  const input = await store.inbox.get(inbox);
  if (input !== undefined) return input;
  throw new Refusal("not_found", `No turn here took ${inbox}.`, "Its session has all that was said.");
}

async function endOf(
  { turns }: Parts["store"],
  { turn: id }: StoredInput,
): Promise<EndedEnvelope | undefined> {
  if (id === undefined) return undefined;
  const turn = await turns.get(id);
  if (turn === undefined || turn.state === "open") return undefined;
  return endedEnvelope(turn, turn.state, await turns.items(id));
}

function endedEnvelope(
  { id, session, fault, usage }: StoredTurn,
  outcome: EndedEnvelope["outcome"],
  items: Awaited<ReturnType<Parts["store"]["turns"]["items"]>>,
): EndedEnvelope {
  const answer = items.findLast((item) => item.kind === "text");
  return {
    v: 1,
    seq: 0,
    session,
    turn: id,
    type: "ended",
    outcome,
    text: answer?.text ?? "",
    calls: items.filter(({ kind }) => kind === "call").length,
    ...(fault === undefined ? {} : { fault }),
    ...(usage === undefined ? {} : { usage }),
  };
}
