import type { TurnEvent } from "../../core/events.ts";
import type { ConverseEvent } from "../../models/converse.ts";
import type { ModelRequest, Route, StreamOptions } from "../../models/model.ts";
import type { Ports, Turn } from "../runtime.ts";
import { type Answer, readAnswer } from "./answer.ts";
import { type LoopState, modelRequest, moveTo, noteAnswer, uniqueIds } from "./loop-state.ts";
import { type Candidates, nextRoute, type Resting } from "./fallback.ts";

export type LoopDeps = {
  /** Where this turn's model is, and where to turn when that fails. */
  readonly routes: (turn: Turn) => Promise<Candidates>;
  /** What a model is told about working with these tools, before anything else. */
  readonly baseInstructions?: (tools: ReadonlySet<string>) => string;
  readonly stream: (
    route: Route,
    request: ModelRequest,
    options: StreamOptions,
  ) => AsyncIterable<ConverseEvent>;
};

/** One answer, from the first route that gives one. As soon as a word of it was shown, nobody else is asked. */
export async function* ask(
  deps: LoopDeps & { readonly resting: Resting },
  turn: Turn,
  loopState: LoopState,
  ports: Ports,
  tools: ModelRequest["tools"],
): AsyncGenerator<TurnEvent, Answer> {
  const { signal, clock } = ports;
  for (;;) {
    yield { type: "status", state: "thinking" };
    const { route } = loopState.routing;
    const frames = deps.stream(route, modelRequest(turn, loopState, tools), { signal, clock });
    const round = `${turn.id}_${loopState.asked}`;
    const answer = yield* readAnswer(frames, round, route.name, uniqueIds(loopState));
    const { early, stop } = answer;
    if (early !== undefined)
      yield { type: "notice", code: "answer_cut", text: `${early.message} ${early.next}` };
    loopState.asked += 1;
    noteAnswer(loopState, answer);
    if (answer.usage !== undefined && loopState.usage !== undefined)
      yield { type: "usage", ...loopState.usage };
    if (typeof stop === "string" || answer.allText !== "" || signal.aborted) return answer;
    if (stop.code === "context_full" && (yield* compacted(loopState, ports))) continue;
    const { retryAfterMs } = answer;
    const failed = { fault: stop, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
    const next = nextRoute(loopState.routing, failed, deps.resting, clock.now());
    if ("code" in next) return { ...answer, stop: next };
    moveTo(loopState, next.routing);
    yield next.notice;
  }
}

/** Whether there is less to read now. What this turn itself has said is left as it is. */
async function* compacted(loopState: LoopState, { compact }: Ports): AsyncGenerator<TurnEvent, boolean> {
  if (compact === undefined || loopState.compacted) return false;
  loopState.compacted = true;
  yield { type: "status", state: "compacting" };
  const shorter = await compact();
  if (shorter === undefined) return false;
  loopState.history = shorter;
  loopState.sealed = [];
  return true;
}
