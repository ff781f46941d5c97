import type { TurnEvent } from "../../core/events.ts";
import type { ItemId } from "../../core/ids.ts";
import { type Item, unknownOutcome } from "../../core/items.ts";
import { redactor } from "../../lib/redact/redact.ts";
import type { OpenTurn, Ports } from "../runtime.ts";
import type { CodexDeps } from "./codex.ts";
import { closeOpenItems } from "./items/close-items.ts";
import { codexFault } from "./codex-fault.ts";
import { note } from "./items/note-mapping.ts";
import { type JournalTurn, findInJournal } from "./journal.ts";
import { catalogue, hostNamespace, offered } from "./thread-settings/offered-tools.ts";
import { withoutKept } from "./thread/our-turn.ts";
import { unkeptTyping } from "./thread/cut-typing.ts";
import { unkeptCalls } from "./thread/silent-calls.ts";
import { recordedUsage, withRecorded } from "./thread/recorded-usage.ts";
import type { CodexPlan } from "./plan.ts";
import { beginTurn, endedEvent, observe, outcomeOf } from "./items/turn-machine.ts";
import { fieldsOf, idIn, listOf } from "./wire/fields.ts";
import type { WireTurn } from "./wire/turn.ts";

/** What codex's own journal says about a turn that our death left open. Nothing is sent to the model. */
export async function recoverTurn(
  deps: CodexDeps,
  turn: OpenTurn,
  ports: Ports,
): Promise<readonly TurnEvent[]> {
  const found = await findInJournal(deps, turn, ports);
  if (found === undefined) return [];
  const { mine, threadId, binding, plan } = found;
  // We may have died before we noted that the thread knows this turn; it is not to be told of it.
  if (binding === undefined || binding.thread === threadId) {
    const tools = binding?.tools ?? catalogue(offered(ports.tools, deps.offer));
    const { history } = await turn.past();
    const known = { thread: threadId, at: history.length, turn: mine.id ?? null, tools };
    const { fenced = false } = binding ?? {};
    await ports.binding.save({
      ...known,
      cut: mine.status !== "completed",
      ...(fenced ? { fenced } : {}),
    });
  }
  const used = await recordedUsage(found.file, mine.id ?? "");
  const whole = { ...mine, items: [...mine.items, ...(await untoldCalls(found, turn))] };
  const told = retell(deps, whole, threadId, turn, plan, ports.clock.now()).map((event) =>
    event.type === "ended" ? withRecorded(event, used) : event,
  );
  const typed = await unkeptTyping(found.file, mine.id ?? "", turn.items);
  const all = [
    ...told.slice(0, -1),
    ...typed.map((item): TurnEvent => ({ type: "item", item })),
    ...told.slice(-1),
  ];
  return found.isWhole ? all : [wordsOnly(mine), ...all];
}

/** Commands that codex had begun and not told of, whether it or we ended first. What we had noted is told by whoever closes that. */
async function untoldCalls({ mine, file }: JournalTurn, { items, begun = [] }: OpenTurn) {
  const told = mine.items.flatMap((item) => idIn(fieldsOf(item), "id") ?? []);
  const known = new Set<string>([...told, ...items.map(({ id }) => id), ...begun]);
  const calls = await unkeptCalls(file, mine.id ?? "", known);
  // A script waits for the call that is open: it is enough to tell of that one.
  return begun.length === 0 ? calls : calls.filter((call) => fieldsOf(call)["type"] !== "dynamicToolCall");
}

function retell(
  { redact = redactor() }: CodexDeps,
  mine: WireTurn,
  threadId: string,
  turn: OpenTurn,
  plan: CodexPlan,
  now: number,
): readonly TurnEvent[] {
  const turnId = mine.id ?? "";
  let state = beginTurn({ threadId, turnId, cwd: turn.cwd, hostNamespace, redact });
  const items: Item[] = [];
  for (const item of mine.items) {
    const [next, said] = observe(
      state,
      { method: "item/completed", params: { threadId, turnId, item } },
      now,
    );
    state = next;
    items.push(...said.flatMap((event) => (event.type === "item" ? [asUnknown(event.item, item)] : [])));
  }
  const [closed, rest] = closeOpenItems(state, "Talaria was ended first", now);
  // A turn that was running when codex ended is listed as interrupted, or as if it still ran.
  const outcome = mine.status === "inProgress" ? "interrupted" : outcomeOf(mine.status);
  const { provider, loopRouteExists } = plan;
  const fault = outcome === "failed" ? codexFault(mine.error, { provider, loopRouteExists, now }) : undefined;
  const missed = withoutKept(items, turn.items).map((item): TurnEvent => ({ type: "item", item }));
  const ended = endedEvent(closed, outcome, fault);
  return [...missed, ...rest, { ...ended, calls: callsIn([...items, ...turn.items]) }];
}

/** Codex says that a host tool failed when we died under it; our tools always say something. */
function asUnknown(item: Item, journal: unknown): Item {
  const { type, success, contentItems } = fieldsOf(journal);
  const isOurs = item.kind === "call" && type === "dynamicToolCall" && success !== true;
  return isOurs && listOf(contentItems).length === 0 ? { ...item, output: unknownOutcome } : item;
}

/** Said, because it cannot be seen: what has no words of its own is simply not there. */
const wordsOnly = ({ id = "" }: WireTurn): TurnEvent => ({
  type: "item",
  item: note(`${id}-journal` as ItemId, lost),
});

const lost =
  "Talaria was ended in the middle of this turn. This codex keeps only what was said, so commands and tool calls that ended after that are not shown; codex 0.151 and newer keep them, too.";

const callsIn = (items: readonly Item[]): number =>
  new Set(items.flatMap(({ id, kind }) => (kind === "call" ? [id] : []))).size;
