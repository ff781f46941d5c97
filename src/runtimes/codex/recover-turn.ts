import type { TurnEvent } from "../../core/events.ts";
import type { OpenTurn, Ports } from "../runtime.ts";
import type { CodexDeps } from "./codex.ts";
import { closeOpenItems } from "./close-items.ts";
import { codexFault } from "./codex-fault.ts";
import { catalogue, hostNamespace, offered } from "./offered-tools.ts";
import type { CodexPlan } from "./plan.ts";
import { readBinding } from "./seed.ts";
import { readThreadTurns } from "./thread-turns.ts";
import { beginTurn, endedEvent, observe, outcomeOf } from "./turn-machine.ts";
import { fieldsOf } from "./wire/fields.ts";
import type { WireTurn } from "./wire/turn.ts";

/** What codex's own journal says about a turn that our death left open. Nothing is sent to the model. */
export async function recoverTurn(
  deps: CodexDeps,
  turn: OpenTurn,
  ports: Ports,
): Promise<readonly TurnEvent[]> {
  const binding = readBinding(await ports.binding.load());
  const threadId = turn.thread ?? binding?.thread;
  if (threadId === undefined) return [];
  const plan = await deps.plan(turn, ports.signal);
  if ("code" in plan) return [];
  using lease = await deps.pool.lease(plan.launch, ports.signal);
  const turns = await readThreadTurns(lease.server, threadId);
  const mine = turns.find((each) => isOurs(each, turn));
  if (mine === undefined) return [];
  // We may have died before we noted that the thread knows this turn; it is not to be told of it.
  if (binding === undefined || binding.thread === threadId) {
    const tools = binding?.tools ?? catalogue(offered(ports.tools.specs, deps.offer));
    const known = { thread: threadId, at: turn.history.length, turn: mine.id ?? null, tools };
    await ports.binding.save({ ...known, cut: mine.status !== "completed" });
  }
  return retell(mine, threadId, turn, plan, ports.clock.now());
}

/** By codex's id when we had learned it, else by our own id, which codex keeps with the user's message. */
const isOurs = (each: WireTurn, turn: OpenTurn): boolean =>
  each.id === turn.codexTurn || each.items.some((item) => fieldsOf(item)["clientId"] === turn.id);

function retell(
  mine: WireTurn,
  threadId: string,
  turn: OpenTurn,
  plan: CodexPlan,
  now: number,
): readonly TurnEvent[] {
  const turnId = mine.id ?? "";
  let state = beginTurn({ threadId, turnId, cwd: turn.cwd, hostNamespace });
  const events: TurnEvent[] = [];
  for (const item of mine.items) {
    const [next, said] = observe(
      state,
      { method: "item/completed", params: { threadId, turnId, item } },
      now,
    );
    state = next;
    events.push(...said.filter((event) => event.type === "item"));
  }
  const [closed, rest] = closeOpenItems(state, "Talaria was ended first", now);
  // A turn that was running when codex ended is listed as interrupted, or as if it still ran.
  const outcome = mine.status === "inProgress" ? "interrupted" : outcomeOf(mine.status);
  const { provider, loopRouteExists } = plan;
  const fault = outcome === "failed" ? codexFault(mine.error, { provider, loopRouteExists, now }) : undefined;
  return [...events, ...rest, endedEvent(closed, outcome, fault)];
}
