import type { OpenTurn, Ports } from "../runtime.ts";
import type { CodexDeps } from "./codex.ts";
import type { CodexPlan } from "./plan.ts";
import { hasAbility } from "./process/version.ts";
import { namesIn, ourTurn } from "./thread/our-turn.ts";
import { type ThreadBinding, located, readBinding } from "./thread/seed.ts";
import { readWholeThread } from "./thread/thread-turns.ts";
import { readSide } from "./thread/turn-side.ts";
import type { WireTurn } from "./wire/turn.ts";

/** A turn of ours as codex has written it down. */
export type JournalTurn = {
  readonly mine: WireTurn;
  readonly threadId: string;
  readonly binding: ThreadBinding | undefined;
  readonly plan: CodexPlan;
  /** Calls are in it, and not only words. */
  readonly isWhole: boolean;
  /** Where it is written. */
  readonly file?: string;
};

/** Finds a turn that our death left open. Nothing is sent to the model. */
export async function findInJournal(
  deps: CodexDeps,
  turn: OpenTurn,
  ports: Ports,
): Promise<JournalTurn | undefined> {
  const binding = readBinding(await ports.binding.load());
  const threadId = readSide(turn.side)?.thread ?? binding?.thread;
  if (threadId === undefined) return undefined;
  const plan = await deps.plan(turn, ports.signal);
  if ("code" in plan) return undefined;
  using lease = await deps.pool.lease(plan.launch, ports.signal);
  const { turns, ...where } = await readWholeThread(lease.server, threadId);
  const past = await turn.past();
  const mine = ourTurn(
    turns,
    turn,
    binding && { ...located(binding, past), isNoted: binding.at === past.history.length },
  );
  if (mine === undefined) return undefined;
  const isWhole = hasAbility("wholeJournal", lease.server.userAgent);
  return { mine, threadId, binding, plan, isWhole, ...where };
}

/** Of what was said into such a turn, what codex has written down. Before 0.136 it keeps no names. */
export async function arrivedIn(deps: CodexDeps, turn: OpenTurn, ports: Ports): Promise<ReadonlySet<string>> {
  const found = await findInJournal(deps, turn, ports);
  return new Set(found === undefined ? [] : namesIn(found.mine));
}
