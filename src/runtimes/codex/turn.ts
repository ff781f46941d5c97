import type { EndedEvent, TurnEvent } from "../../core/events.ts";
import type { Fault } from "../../core/faults.ts";
import type { Json } from "../../core/json.ts";
import type { InputPart } from "../../core/messages.ts";
import { RpcError } from "../../lib/rpc-message.ts";
import type { Ports, Turn } from "../runtime.ts";
import type { AppServer } from "./app-server.ts";
import type { EventQueue } from "./event-queue.ts";
import { type Gone, RequestTimedOut } from "./gone.ts";
import { offered } from "./offered-tools.ts";
import type { CodexPlan } from "./plan.ts";
import { watchQuiet } from "./quiet-watch.ts";
import { answerRequest } from "./requests.ts";
import type { OpenThread } from "./thread.ts";
import type { ThreadFeed } from "./thread-feed.ts";
import { type TurnState, beginTurn, closeOpenItems, endedEvent, observe } from "./turn-machine.ts";
import type { Change } from "./wire/call-item.ts";
import { readItem } from "./wire/item.ts";
import { turnIdOf } from "./wire/scope.ts";
import { fieldsOf, listOf } from "./wire/fields.ts";
import { type WireTurn, readThreadStatus, readTurn } from "./wire/turn.ts";

/** Everything one running turn has at hand. */
export type LiveTurn = {
  readonly server: AppServer;
  readonly thread: OpenThread;
  readonly turn: Turn;
  readonly ports: Ports;
  readonly plan: CodexPlan;
  readonly out: EventQueue<TurnEvent>;
  state: TurnState;
};

export const startTimeoutMs = 10_000;
export const interruptMs = 5_000;
export const probeMs = 5_000;
/** `turn/completed` may overtake the last items; this long they are still taken in. */
const lateItemsMs = 2_000;

/** How the turn ended, and whether the process can be trusted with another one. */
export type TurnEnd = { readonly ended: EndedEvent; readonly retire?: string };

/** Starts the turn on its thread. The reply names it; from then on it can be steered and interrupted. */
export async function startTurn(server: AppServer, thread: OpenThread, turn: Turn): Promise<string> {
  const params = {
    threadId: thread.id,
    // Tells our turn from others when a crash has to be repaired.
    clientUserMessageId: turn.id,
    input: turn.input.map(inputItem),
    ...(turn.model === undefined ? {} : { model: turn.model }),
    ...(turn.effort === undefined ? {} : { effort: turn.effort }),
    ...(turn.outputSchema === undefined ? {} : { outputSchema: turn.outputSchema }),
    ...(turn.context.length === 0 ? {} : { additionalContext: additionalContext(turn.context) }),
  };
  const signal = new AbortController().signal; // Stop must not lose the id of a turn that has been started
  const id = turnIdOf(await server.request("turn/start", params, { signal, timeoutMs: startTimeoutMs }));
  if (id === undefined) throw new RpcError(-32603, "turn/start answered without a turn id");
  return id;
}

export const inputItem = (part: InputPart): Json =>
  part.type === "text"
    ? { type: "text", text: part.text }
    : { type: "image", url: `data:${part.mediaType};base64,${part.base64}` };

const additionalContext = (blocks: readonly string[]): Json =>
  Object.fromEntries(blocks.map((value, at) => [`talaria_${at + 1}`, { kind: "application", value }]));

/** Follows a started turn to its end: `turn/completed`, the end of the process, or Stop. Silence is asked about. */
export async function followTurn(live: LiveTurn, feed: ThreadFeed): Promise<TurnEnd> {
  const { ports, server } = live;
  const { clock, signal: stop } = ports;
  const over = new AbortController();
  const context = {
    ports,
    cwd: live.turn.cwd,
    signal: AbortSignal.any([stop, over.signal]),
    offered: new Set(offered(ports.tools.specs).map((spec) => spec.name)),
    changesOf: (itemId: string) => changesOf(live, itemId),
  };
  const wake = waker(stop);
  using _quiet = watchQuiet(
    clock,
    () => ({ lastMs: feed.lastHeardMs, itemOpen: live.state.open.size > 0 }),
    () => wake.ring("quiet"),
  );
  let interrupted = false;
  try {
    for (;;) {
      const frame = await feed.next(wake.signal());
      if (frame?.kind === "notification") take(live, frame);
      if (frame?.kind === "request") void answerRequest(frame, context);
      if (frame?.kind === "gone") return lost(live, frame.exit);
      if (live.state.outcome !== undefined) return await finish(live, feed);
      if (frame !== undefined) continue;
      if (stop.aborted && !interrupted) {
        interrupted = true;
        void interrupt(live);
        void clock.sleep(interruptMs, over.signal).then(
          () => wake.ring("late"),
          () => {}, // the turn ended in time
        );
        continue;
      }
      if (wake.reason() === "late") return await endWithoutAnswer(live);
      const verdict = await probe(live);
      if (verdict !== "active") return verdict;
      ports.clock.monotonic();
      live.out.push({ type: "status", state: "waiting", text: "codex is at work and silent" });
    }
  } finally {
    over.abort();
    if (interrupted && server.alive) await cleanTerminals(live);
  }
}

function take(live: LiveTurn, frame: { readonly method: string; readonly params: unknown }): void {
  const [state, events] = observe(live.state, frame, live.ports.clock.now());
  live.state = state;
  for (const event of events) live.out.push(event);
}

/** Codex has said how it ended. What is still open then is closed by us. */
async function finish(live: LiveTurn, feed: ThreadFeed): Promise<TurnEnd> {
  await lateItems(live, feed);
  const { outcome } = live.state;
  closeItems(live, "codex ended the turn before it was finished");
  if (outcome?.status === "completed") return { ended: endedEvent(live.state, "done") };
  if (outcome?.status === "interrupted") return { ended: endedEvent(live.state, "interrupted") };
  const { fault, retire } = await failure(live);
  return { ended: endedEvent(live.state, "failed", fault), ...(retire === undefined ? {} : { retire }) };
}

async function lateItems(live: LiveTurn, feed: ThreadFeed): Promise<void> {
  if (live.state.outcome?.status !== "completed" || live.state.awaited.size === 0) return;
  const enough = new AbortController();
  const limit = live.ports.clock.sleep(lateItemsMs, enough.signal).then(
    () => enough.abort(),
    () => {}, // they came in time
  );
  while (live.state.awaited.size > 0) {
    const frame = await feed.next(enough.signal);
    if (frame?.kind !== "notification") break;
    take(live, frame);
  }
  enough.abort();
  await limit;
}
