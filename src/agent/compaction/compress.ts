import type { Compress } from "../../core/compaction.ts";
import { FaultError } from "../../core/faults.ts";
import { type SessionId, newId } from "../../core/ids.ts";
import type { Session } from "../../core/session.ts";
import { spendsOf } from "../../core/spend.ts";
import type { Runtime, CompactionResult } from "../../runtimes/runtime.ts";
import { type Refused, usedUp } from "../budget/budgets.ts";
import { betweenTurns } from "../between-turns.ts";
import { defaultRuntimeOf } from "../chosen-runtime.ts";
import { compact } from "./compact.ts";
import { lastSender } from "../last-sender.ts";
import type { AgentDeps } from "../index.ts";
import type { AgentShared } from "../agent-shared.ts";
import type { HeldLease } from "../session-lease.ts";
import { sessionTurn } from "../turn-input.ts";
import { turnPorts } from "../turn-ports.ts";

/** Does what `/compress` asks for, between two turns. Resolves with what to tell the person. */
export async function compress(shared: AgentShared, id: SessionId, asked: Compress): Promise<string> {
  return await betweenTurns(shared, id, async (session, held) => {
    const stop = new AbortController();
    shared.compressing.set(id, stop);
    if (shared.closing) stop.abort();
    try {
      const signal = AbortSignal.any([stop.signal, held.lost]);
      return await doCompress(shared.deps, session, held, asked, signal);
    } finally {
      shared.compressing.delete(id);
    }
  });
}

async function doCompress(
  deps: AgentDeps,
  session: Session,
  held: HeldLease,
  asked: Compress,
  signal: AbortSignal,
): Promise<string> {
  const { compactions } = deps.store;
  if (asked.do === "undo") return undo(deps, session, held);
  if (asked.do === "pin") await compactions.pin(held.lease, asked.text);
  if (asked.do === "unpin") {
    const line = (await compactions.pins(session.id))[asked.number - 1];
    if (line === undefined) return `There is no pinned line ${asked.number}. ${await pinList(deps, session)}`;
    await compactions.unpin(held.lease, line);
  }
  if (asked.do !== "compress") return pinList(deps, session);
  const runtime = session.runtime ?? defaultRuntimeOf(deps, session);
  const own = deps.runtimes[runtime];
  if (own?.compact !== undefined) return compactInRuntime(deps, own, session, held, asked.focus, signal);
  if (deps.compaction === undefined) return "Shortening is not set up here. Nothing was changed.";
  const { focus } = asked;
  const target = { session, lease: held.lease, runtime };
  const also = focus === undefined ? {} : { focus };
  const result = await compact({ ...deps, ...deps.compaction }, target, "asked", signal, also);
  if (signal.aborted) return "Stopped. Nothing was changed.";
  if ("failed" in result) return `It could not be shortened: ${result.failed} Nothing was changed.`;
  return "done" in result ? result.done : result.notNeeded;
}

async function undo({ store }: AgentDeps, { id }: Session, { lease }: HeldLease): Promise<string> {
  const compactions = await store.compactions.list(id);
  const last = compactions.at(-1);
  if (last === undefined) return "There is nothing to take back: no part of this session is shortened.";
  await store.compactions.remove(lease, last.id);
  if (compactions.length > 1)
    return "Taken back. The shortening before it holds again; /compress undo takes that back, too.";
  const { messages, takenBack } = await store.sessions.count(id);
  return `Taken back. The model is given all ${messages - takenBack} messages again.`;
}

async function pinList({ store }: AgentDeps, { id }: Session): Promise<string> {
  const lines = await store.compactions.pins(id);
  if (lines.length === 0) return "No line is pinned.";
  const list = lines.map((line, at) => `${at + 1}. ${line}`);
  return ["Kept word for word from the next /compress on:", ...list].join("\n");
}

/** The runtime keeps the conversation itself (codex). What is stored here stays as it is. */
async function compactInRuntime(
  deps: AgentDeps,
  runtime: Runtime,
  session: Session,
  { lease }: HeldLease,
  focus: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  const from = await lastSender(deps.store, session.id);
  if (from === undefined) return "Nothing has been said yet, so there is nothing to shorten.";
  const turn = await sessionTurn(deps, session, newId("trn", deps.clock.now()));
  const asker = {
    runtime: runtime.name,
    surface: session.surface,
    from,
    audience: session.audience,
    attended: "none",
    say: () => {},
  } as const;
  const { store, clock, spending } = deps;
  const payer = session.parent ?? session.id;
  const refusal = await usedUp({ store, clock, budgets: spending.budgets }, payer, notShortened);
  if (refusal !== undefined) throw new FaultError(refusal);
  const result = await runtime.compact?.(turn, await turnPorts(deps, turn, lease, asker, signal));
  await keepCosts(deps, session, runtime.name, result?.spent);
  if (signal.aborted) return "Stopped.";
  if (result === undefined) return "This runtime cannot shorten. Nothing was changed.";
  if ("code" in result) throw new FaultError(result);
  if ("notNeeded" in result) return result.notNeeded;
  return focus === undefined ? result.done : `${result.done} It takes no focus, so yours was not used.`;
}

const notShortened: Refused = { what: "The conversation was not shortened", kept: "" };

/** It is no turn, but its cost belongs in the ledger. */
async function keepCosts(
  { store, clock, spending }: AgentDeps,
  { id }: Session,
  runtime: string,
  spent: CompactionResult["spent"],
): Promise<void> {
  if (spent?.usage === undefined) return;
  const own = { provider: spending.provider, model: spent.model };
  for (const part of spendsOf(spent.usage, own, spending.priceOf))
    await store.usage.add({ at: clock.now(), session: id, cause: "compression", runtime, ...part });
}
