import type { EndedEvent, NoticeEvent, TurnEvent } from "../../core/events.ts";
import { type Fault, bugFault } from "../../core/faults.ts";
import type { TurnId } from "../../core/ids.ts";
import { mostCalls } from "../most-calls.ts";
import type { Ports, Runtime, Turn } from "../runtime.ts";
import type { Answer } from "./answer.ts";
import { ask, type LoopDeps } from "./ask.ts";
import { type Breaker, breaker } from "./breaker.ts";
import { runCalls } from "./calls.ts";
import { type Conversation, noteResults, startConversation } from "./conversation.ts";
import { firstRoute, type Resting } from "./fallback.ts";
import { type ShownTools, shownTools } from "./shown-tools.ts";
import { type Steering, steering } from "./steering.ts";

/** Our own agent loop: ask the model, run the tools it calls, ask again, until it answers. */
export function loopRuntime(deps: LoopDeps): Runtime {
  const inside: Inside = { ...deps, resting: new Map(), running: new Map() };
  return {
    name: "loop",
    run: (turn, ports) => guarded(inside, turn, ports),
    // Nothing is kept here in any case. That a route wants to be left alone was said to somebody else.
    // A side turn brings words of its own.
    sideTurn: (turn, ports) =>
      guarded({ ...inside, resting: new Map(inside.resting), words: () => "" }, turn, ports),
    steer: async (turn, input) => inside.running.get(turn)?.steer(input) ?? "refused",
    // Nobody but us has seen the turn: what was committed is all there is.
    recover: async () => [],
    async [Symbol.asyncDispose]() {},
  };
}

type Inside = LoopDeps & { readonly resting: Resting; readonly running: Map<TurnId, Steering> };

/** Keeps the promise of the contract that iterating never throws. */
async function* guarded(inside: Inside, turn: Turn, ports: Ports): AsyncIterable<TurnEvent> {
  const said = steering();
  inside.running.set(turn.id, said);
  try {
    yield* loop(inside, turn, ports, said);
  } catch (error) {
    yield { type: "ended", outcome: "failed", fault: bugFault(error), text: "", calls: 0 };
  } finally {
    inside.running.delete(turn.id);
  }
}

async function* loop(inside: Inside, turn: Turn, ports: Ports, said: Steering): AsyncIterable<TurnEvent> {
  const first = firstRoute(await inside.routes(turn), inside.resting, ports.clock.now());
  const model = "code" in first ? (turn.model ?? "") : first.routing.route.model;
  yield { type: "started", runtime: "loop", model, cwd: turn.cwd };
  if ("code" in first) return yield failed(first);
  if (first.notice !== undefined) yield first.notice;
  const names = new Set(ports.tools.specs.map(({ name }) => name));
  const talk = startConversation(turn, first.routing, inside.words?.(names));
  const tools = shownTools(ports.tools.specs, [...turn.history, ...talk.own]);
  const circles = breaker();

  // Past it the model is asked to sum up, without tools.
  while (talk.calls < mostCalls) {
    if (ports.signal.aborted) return yield ended("interrupted", talk);
    const answer = yield* ask(inside, turn, talk, ports, tools.now());
    if (answer.stop === "aborted") return yield ended("interrupted", talk);
    if (answer.stop !== "completed") return yield ended("failed", talk, answer.stop);
    if (answer.calls.length === 0) return yield answered(turn, talk, answer);
    yield { type: "status", state: "tool" };
    yield* useTools(talk, answer, ports, said, circles, tools);
    const stuck = ports.signal.aborted ? undefined : circles.stuck();
    if (stuck !== undefined) return yield ended("failed", talk, stuck);
  }
  yield* sumUp(inside, turn, talk, ports);
}

/**
 * Runs the calls of an answer. What the model has to hear beside their results stands below the last of them; what the
 * person said meanwhile has a row of its own and is no part of the result.
 */
async function* useTools(
  talk: Conversation,
  { calls }: Answer,
  ports: Ports,
  said: Steering,
  circles: Breaker,
  tools: ShownTools,
): AsyncGenerator<TurnEvent, void> {
  const allowed = mostCalls - talk.calls;
  const atEnd = calls.length >= allowed ? [sumUpNow] : [];
  circles.nextAnswer();
  let meanwhile: readonly string[] = [];
  said.open();
  const results = yield* runCalls(calls, ports, {
    allowed,
    remarks(item, isLast) {
      if (isLast) meanwhile = said.close();
      return [...circles.remark(item), ...(isLast ? atEnd : [])];
    },
  });
  noteResults(talk, results, meanwhile);
  tools.add([...calls.map(({ tool }) => tool), ...results.flatMap(({ found }) => found)]);
}

/** The last answer of a turn that used up its calls. */
async function* sumUp(
  inside: Inside,
  turn: Turn,
  talk: Conversation,
  ports: Ports,
): AsyncGenerator<TurnEvent, void> {
  if (ports.signal.aborted) return yield ended("interrupted", talk);
  yield callLimit;
  const answer = yield* ask(inside, turn, talk, ports, []);
  if (answer.stop === "aborted") return yield ended("interrupted", talk);
  if (answer.stop !== "completed") return yield ended("failed", talk, answer.stop);
  yield answer.calls.length === 0 ? answered(turn, talk, answer) : ended("failed", talk, tooManyCalls);
}

/** The beginning of an answer is one, the beginning of JSON that a program waits for is not. */
const answered = (turn: Turn, talk: Conversation, { early }: Answer): EndedEvent =>
  early === undefined || turn.outputSchema === undefined ? ended("done", talk) : ended("failed", talk, early);

const ended = (outcome: EndedEvent["outcome"], talk: Conversation, fault?: Fault): EndedEvent => ({
  type: "ended",
  outcome,
  text: talk.text,
  calls: talk.calls,
  ...(fault === undefined ? {} : { fault }),
  ...(talk.usage === undefined ? {} : { usage: talk.usage }),
});

const failed = (fault: Fault): EndedEvent => ({
  type: "ended",
  outcome: "failed",
  fault,
  text: "",
  calls: 0,
});

const sumUpNow = `[Talaria: the ${mostCalls} tool calls of this turn are used up. Sum up for the person what is done, what is not, and what should come next. No tool can be called now.]`;

const callLimit: NoticeEvent = {
  type: "notice",
  code: "call_limit",
  text: `The turn has used up its ${mostCalls} tool calls, so the model is asked to sum up. Send “go on” to let it continue.`,
};

const tooManyCalls: Fault = {
  code: "refused",
  message: `The model asked for tools more than ${mostCalls} times without an answer, so the turn was ended.`,
  next: "What it did is kept. Ask it to sum up, or ask for a smaller step.",
};
