import type { TurnEvent } from "../../core/events.ts";
import type { TalkEvent } from "../../models/converse.ts";
import type { ModelRequest, Route, StreamOptions } from "../../models/model.ts";
import type { Ports, Turn } from "../runtime.ts";
import { type Answer, readAnswer } from "./answer.ts";
import { type Conversation, modelRequest, moveTo, noteAnswer, uniqueIds } from "./conversation.ts";
import { type Candidates, nextRoute, type Resting } from "./fallback.ts";

export type LoopDeps = {
  /** Where this turn's model is, and where to turn when that fails. */
  readonly routes: (turn: Turn) => Promise<Candidates>;
  /** What a model is told about working with these tools, before anything else. */
  readonly words?: (tools: ReadonlySet<string>) => string;
  readonly stream: (route: Route, request: ModelRequest, options: StreamOptions) => AsyncIterable<TalkEvent>;
};

/** One answer, from the first route that gives one. As soon as a word of it was shown, nobody else is asked. */
export async function* ask(
  deps: LoopDeps & { readonly resting: Resting },
  turn: Turn,
  talk: Conversation,
  ports: Ports,
  tools: ModelRequest["tools"],
): AsyncGenerator<TurnEvent, Answer> {
  for (;;) {
    yield { type: "status", state: "thinking" };
    const answer = yield* request(deps, turn, talk, ports, tools);
    const { stop } = answer;
    if (typeof stop === "string" || answer.allText !== "" || ports.signal.aborted) return answer;
    if (stop.code === "context_full" && (yield* compacted(talk, ports))) continue;
    const { retryAfterMs } = answer;
    const failed = { fault: stop, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
    const next = nextRoute(talk.routing, failed, deps.resting, ports.clock.now());
    if ("code" in next) return { ...answer, stop: next };
    moveTo(talk, next.routing);
    yield next.notice;
  }
}

async function* request(
  { stream }: LoopDeps,
  turn: Turn,
  talk: Conversation,
  ports: Ports,
  tools: ModelRequest["tools"],
): AsyncGenerator<TurnEvent, Answer> {
  const { route } = talk.routing;
  const { signal, clock } = ports;
  const frames = stream(route, modelRequest(turn, talk, tools), { signal, clock });
  const answer = yield* readAnswer(frames, `${turn.id}_${talk.asked}`, route.name, uniqueIds(talk));
  const { early } = answer;
  if (early !== undefined)
    yield { type: "notice", code: "answer_cut", text: `${early.message} ${early.next}` };
  talk.asked += 1;
  noteAnswer(talk, answer);
  if (answer.usage !== undefined && talk.usage !== undefined) yield { type: "usage", ...talk.usage };
  return answer;
}

/** Whether there is less to read now. What this turn itself has said is left as it is. */
async function* compacted(talk: Conversation, { compact }: Ports): AsyncGenerator<TurnEvent, boolean> {
  if (compact === undefined || talk.compacted) return false;
  talk.compacted = true;
  yield { type: "status", state: "compacting" };
  const shorter = await compact();
  if (shorter === undefined) return false;
  talk.history = shorter;
  talk.sealed = [];
  return true;
}
