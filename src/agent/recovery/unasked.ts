import type { EndedEvent } from "../../core/events.ts";
import { newId } from "../../core/ids.ts";
import type { StoredInput, StoredTurn } from "../../core/session.ts";
import type { Past, Runtime, UnaskedWork } from "../../runtimes/runtime.ts";
import type { AgentShared } from "../agent-shared.ts";
import { costRows, withUncounted } from "../budget/turn-spend.ts";
import { commitEnd, commitItem, startProgress } from "../commit.ts";
import type { AgentDeps } from "../index.ts";
import { unaskedSurface } from "../news.ts";
import { lastSender } from "../last-sender.ts";
import { loadSessionHistory, pastOf } from "../session-history.ts";
import type { HeldLease } from "../session-lease.ts";
import { closeOpenTurn } from "./reconcile.ts";
import { recordRunning } from "./still-running.ts";

/**
 * Keeps what a runtime did by itself as a turn of its session: in history, in the ledgers, and said to whoever watches.
 * It waits for the turn that runs. Never rejects.
 */
export async function recordUnasked(shared: AgentShared, runtime: Runtime, work: UnaskedWork): Promise<void> {
  const { deps, lanes, leases } = shared;
  const { session } = work;
  // What ended with us is in the store as having been left running, and is told with the next start.
  if (shared.closed) return deps.log(`not kept, Talaria has been closed, in ${session}: ${work.text}`);
  try {
    await lanes.run(session, async () => {
      const held = await leases.hold(session);
      try {
        await closeOpenTurn(deps, held, session, shared.unkept.faults);
        await keep(shared, runtime, work, held);
      } finally {
        await leases.release(session);
      }
    });
  } catch (error) {
    deps.log(`could not be kept, in ${session}: ${work.text} (${String(error)})`);
  }
}

async function keep(
  shared: AgentShared,
  runtime: Runtime,
  work: UnaskedWork,
  held: HeldLease,
): Promise<void> {
  const { deps, events } = shared;
  const { lease } = held;
  const { session, cwd, model, text, items, refused } = work;
  const before = await pastIn(deps, work);
  const opened = await open(deps, runtime, work, held);
  if (opened === undefined) return;
  const { turn, input } = opened;
  const { side, ...end } = work.ended;
  // Not with its side: whether the thread knew all that was said before it is for the runtime to say (`markKnown`).
  await deps.store.turns.describe(lease, turn.id, { model });
  const say = events.publisher(session, turn.id);
  say({ type: "started", runtime: runtime.name, model, cwd, unasked: true });
  say({ type: "notice", code: "unasked", text });
  const progress = startProgress();
  for (const raw of items) {
    const item = await commitItem(deps, lease, turn.id, raw, progress);
    if (item !== undefined) say({ type: "item", item });
  }
  const asker = { runtime: runtime.name, surface: unaskedSurface, attended: "none", say } as const;
  const known = await deps.store.sessions.get(session);
  if (known === undefined) throw new Error("the session is gone");
  const { from } = input;
  const { ask } = deps.asking({
    session,
    turn: turn.id,
    folder: cwd,
    from,
    audience: known.audience,
    ...asker,
  });
  for (const question of refused) await ask(question, held.lost);
  const ended: EndedEvent = { ...end, calls: progress.calls };
  const usage = costRows(deps.spending, { ...turn, model }, withUncounted(ended), deps.clock.now());
  await commitEnd(deps, lease, turn.id, ended, input, { tell: !events.isWatched(session), usage });
  if (side !== undefined)
    await runtime.markKnown?.(bindingOf(deps, runtime, work, held), side, before, await pastIn(deps, work));
  await recordRunning(deps, session);
  say(ended);
}

async function open(
  { store, clock, watchers }: AgentDeps,
  runtime: Runtime,
  { session, cwd, text }: UnaskedWork,
  { lease }: HeldLease,
): Promise<{ readonly turn: StoredTurn; readonly input: StoredInput } | undefined> {
  const from = await lastSender(store, session);
  if (from === undefined) throw new Error("no turn was before it");
  const at = clock.now();
  const id = newId("inb", at);
  const key = { surface: unaskedSurface, account: "", chat: session, messageId: id };
  const opening = { id: watchers.own(newId("trn", at)), inbox: id, runtime: runtime.name, cwd, at };
  // In one commit: it is never found waiting, as a message of somebody's would be.
  const input = [{ type: "text" as const, text }];
  const turn = await store.turns.open(lease, opening, { id, key, from, session, input, at });
  const row = await store.inbox.get(id);
  return turn && row && { turn, input: row };
}

async function pastIn({ store }: AgentDeps, { session }: UnaskedWork): Promise<Past> {
  return pastOf(await loadSessionHistory(store, session));
}

const bindingOf = (
  { store }: AgentDeps,
  { name }: Runtime,
  { session, cwd }: UnaskedWork,
  { lease }: HeldLease,
): Parameters<NonNullable<Runtime["markKnown"]>>[0] => ({
  load: () => store.bindings.load(session, name, cwd),
  save: (value) => store.bindings.save(lease, name, cwd, value),
});
