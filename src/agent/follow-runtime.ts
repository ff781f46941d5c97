import type { EndedEvent, StartedEvent, TurnEvent } from "../core/events.ts";
import type { Fault } from "../core/faults.ts";
import type { Ports, Turn } from "../runtimes/runtime.ts";
import type { OpenJob } from "./agent-shared.ts";
import type { TurnSpend } from "./budget/turn-spend.ts";
import { type Progress, commitItem } from "./commit.ts";
import type { AgentDeps } from "./index.ts";
import { maskedDeltas } from "./masked-deltas.ts";
import { stoppable } from "./stoppable.ts";

/** Follows the runtime of a job to its `ended`: the one way of an event from a runtime to whoever watches. */
export async function followRuntime(
  deps: AgentDeps,
  job: OpenJob,
  turn: Turn,
  ports: Ports,
  progress: Progress,
  spend: TurnSpend["note"],
  onStarted: (event: StartedEvent) => Promise<void>,
): Promise<EndedEvent> {
  const { runtime, say, held } = job;
  const live = maskedDeltas(deps.redact, say);
  let started = false;
  using events = stoppable(runtime.run(turn, ports), ports.signal, deps.clock);
  for (let event = await events.next(); event !== undefined; event = await events.next()) {
    switch (event.type) {
      case "ended":
        return event;
      case "delta":
        live.add(event);
        break;
      case "item": {
        const item = await commitItem(deps, held.lease, turn.id, event.item, progress);
        live.end(event.item.id);
        if (item !== undefined) say({ type: "item", item });
        break;
      }
      case "usage":
        await noteUsage(event, spend, progress, say);
        break;
      case "started":
        if (!started) await onStarted(event);
        started = true;
        break;
      case "status":
        await noteStatus(deps, job, event.state, progress);
        say(event);
        break;
      case "begin":
        if (event.item.kind === "call") progress.began = true;
        say(event);
        break;
      case "notice":
      case "approval":
      case "inquiry":
        say(event);
    }
  }
  if (!ports.signal.aborted) return failure(noEnd(runtime.name), progress);
  return { type: "ended", outcome: "interrupted", text: progress.text, calls: progress.calls };
}

async function noteUsage(
  { type: _type, ...used }: Extract<TurnEvent, { type: "usage" }>,
  spend: TurnSpend["note"],
  progress: Progress,
  say: OpenJob["say"],
): Promise<void> {
  const { usage, notice } = await spend(used);
  progress.usage = usage;
  progress.asking = false;
  say({ type: "usage", ...usage });
  if (notice !== undefined) say(notice);
}

/** A tool may run for long: should we be killed meanwhile, what was used before it is known. */
async function noteStatus(
  { store }: AgentDeps,
  { held, turn }: OpenJob,
  state: Extract<TurnEvent, { type: "status" }>["state"],
  progress: Progress,
): Promise<void> {
  progress.asking = state === "thinking" || state === "compacting";
  const { usage } = progress;
  if (state !== "tool" || usage === undefined) return;
  delete progress.usage;
  await store.turns.describe(held.lease, turn.id, { usage });
}

export const failure = (fault: Fault, progress: Progress): EndedEvent => ({
  type: "ended",
  outcome: "failed",
  fault,
  text: progress.text,
  calls: progress.calls,
});

const noEnd = (runtime: string): Fault => ({
  code: "protocol",
  message: `The ${runtime} runtime stopped without saying how the turn ended.`,
  next: "What was finished is kept; send the message again.",
});
