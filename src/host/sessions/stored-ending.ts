import type { EndedEnvelope } from "../../core/events.ts";
import { Refusal } from "../../core/host.ts";
import type { InboxId, SessionId } from "../../core/ids.ts";
import type { StoredInput, StoredTurn } from "../../core/session.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";
import { leaseExpiryMs } from "../../store/store.ts";
import type { Joined } from "../operations/joined.ts";
import { repairSession } from "../repair.ts";

type Parts = Pick<Joined, "agent" | "broker" | "clock" | "closing" | "isGone" | "log" | "store">;

/** Whoever dies writes nothing of it, so it is looked for. */
const lookMs = 1000;

/**
 * How the turn that took an input ended, where this process did not run it: the one that did is gone, or is another one. `null`
 * if it was set aside, or this process ends first. Waits for a turn that still runs elsewhere, and keeps this process meanwhile; one
 * whose process dies is closed here.
 */
export async function storedEnding(
  parts: Parts,
  inbox: InboxId,
  signal: AbortSignal | undefined,
): Promise<EndedEnvelope | null> {
  const { agent, store, clock, closing } = parts;
  const over = AbortSignal.any([closing.signal, ...(signal === undefined ? [] : [signal])]);
  let changed = new AbortController();
  using _ = store.events.watch(() => changed.abort(noLongerNeeded));
  for (let due = clock.monotonic(); !over.aborted;) {
    // Before the look, so that nothing that ends meanwhile is missed.
    changed = new AbortController();
    const input = await inputNamed(store, inbox);
    if (input.state === "kept") return null;
    const ended = await endOf(store, input);
    if (ended !== undefined) {
      // Whoever waits for it here hears of it, too: nothing else would keep the process until they are told.
      await agent.catchUp(input.session);
      return ended;
    }
    if (clock.monotonic() >= due) {
      if (await isLeft(parts, input.session)) await closing.track(repairSession(parts, input.session));
      due = clock.monotonic() + lookMs;
    }
    const next = AbortSignal.any([changed.signal, over]);
    await clock.sleep(due - clock.monotonic(), next, { hold: true }).catch(() => {});
  }
  signal?.throwIfAborted();
  return null;
}

/** Does nobody have the session any more? Only looks: to try to take it would be a write for each look. */
async function isLeft({ store, isGone, clock }: Parts, session: SessionId): Promise<boolean> {
  const holder = await store.leases.holder(session);
  return holder === undefined || isGone(holder.owner) || clock.now() - holder.heartbeat >= leaseExpiryMs;
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
