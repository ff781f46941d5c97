import type { EndedEvent, NoticeEvent, TurnEvent } from "../../core/events.ts";
import { type Fault, bugFault } from "../../core/faults.ts";
import type { TurnId } from "../../core/ids.ts";
import type { Message, InputPart } from "../../core/messages.ts";
import { namesFound, toolSearchName } from "../../tools/found-tools.ts";
import type { ToolSpec } from "../../tools/tool.ts";
import { givenTo, mostCalls, type Ports, type Runtime, type Turn, type Steered } from "../runtime.ts";
import type { Answer } from "./answer.ts";
import { ask, type LoopDeps } from "./ask.ts";
import { type Breaker, breaker } from "./breaker.ts";
import { runCalls } from "./calls.ts";
import { firstRoute, type Resting } from "./fallback.ts";
import { type LoopState, noteResults, startLoopState } from "./loop-state.ts";

/** Our own agent loop: ask the model, run the tools it calls, ask again, until it answers. */
export function loopRuntime(deps: LoopDeps): Runtime {
  const shared: LoopShared = { ...deps, resting: new Map(), running: new Map() };
  return {
    name: "loop",
    run: (turn, ports) => loop(shared, turn, ports),
    // With a copy of `resting`, so that its failures do not affect the conversation; it brings its own instructions.
    sideTurn: (turn, ports) =>
      loop({ ...shared, resting: new Map(shared.resting), baseInstructions: () => "" }, turn, ports),
    steer: async (turn, input) => shared.running.get(turn)?.steer(input) ?? "refused",
    // Nobody but us has seen the turn: what was committed is all there is.
    recover: async () => [],
    async [Symbol.asyncDispose]() {},
  };
}

type LoopShared = LoopDeps & { readonly resting: Resting; readonly running: Map<TurnId, Steering> };

/** Keeps the promise of the contract that iterating never throws. */
async function* loop(shared: LoopShared, turn: Turn, ports: Ports): AsyncIterable<TurnEvent> {
  const inputs = steering();
  shared.running.set(turn.id, inputs);
  try {
    const first = firstRoute(await shared.routes(turn), shared.resting, ports.clock.now());
    const model = "code" in first ? (turn.model ?? "") : first.routing.route.model;
    yield { type: "started", runtime: "loop", model, cwd: turn.cwd };
    if ("code" in first) return yield failed(first);
    if (first.notice !== undefined) yield first.notice;
    const names = new Set(ports.tools.specs.map(({ name }) => name));
    const before = await givenTo(turn);
    const loopState = startLoopState(turn, before, first.routing, shared.baseInstructions?.(names));
    const tools = shownTools(ports.tools.specs, [...before, ...loopState.own]);
    const loopBreaker = breaker();

    // Past it the model is asked to sum up, without tools.
    while (loopState.calls < mostCalls) {
      if (ports.signal.aborted) return yield ended("interrupted", loopState);
      const answer = yield* ask(shared, turn, loopState, ports, tools.now());
      if (answer.stop === "aborted") return yield ended("interrupted", loopState);
      if (answer.stop !== "completed") return yield ended("failed", loopState, answer.stop);
      if (answer.calls.length === 0) return yield answered(turn, loopState, answer);
      yield { type: "status", state: "tool" };
      yield* useTools(loopState, answer, ports, inputs, loopBreaker, tools);
      const stuck = ports.signal.aborted ? undefined : loopBreaker.stuck();
      if (stuck !== undefined) return yield ended("failed", loopState, stuck);
    }
    yield* sumUp(shared, turn, loopState, ports);
  } catch (error) {
    yield failed(bugFault(error));
  } finally {
    shared.running.delete(turn.id);
  }
}

/**
 * Runs the calls of an answer. What the model has to hear beside their results stands below the last of them; what the
 * person said meanwhile has a row of its own and is no part of the result.
 */
async function* useTools(
  loopState: LoopState,
  { calls }: Answer,
  ports: Ports,
  inputs: Steering,
  loopBreaker: Breaker,
  tools: ShownTools,
): AsyncGenerator<TurnEvent, void> {
  const allowed = mostCalls - loopState.calls;
  const atEnd = calls.length >= allowed ? [sumUpNow] : [];
  loopBreaker.nextAnswer();
  let meanwhile: readonly string[] = [];
  inputs.open();
  const results = yield* runCalls(calls, ports, {
    allowed,
    remarks(item, isLast) {
      if (isLast) meanwhile = inputs.close();
      return [...loopBreaker.remark(item), ...(isLast ? atEnd : [])];
    },
  });
  noteResults(loopState, results, meanwhile);
  tools.add([...calls.map(({ tool }) => tool), ...results.flatMap(({ found }) => found)]);
}

/** The last answer of a turn that used up its calls. */
async function* sumUp(
  shared: LoopShared,
  turn: Turn,
  loopState: LoopState,
  ports: Ports,
): AsyncGenerator<TurnEvent, void> {
  if (ports.signal.aborted) return yield ended("interrupted", loopState);
  yield callLimit;
  const answer = yield* ask(shared, turn, loopState, ports, []);
  if (answer.stop === "aborted") return yield ended("interrupted", loopState);
  if (answer.stop !== "completed") return yield ended("failed", loopState, answer.stop);
  yield answer.calls.length === 0
    ? answered(turn, loopState, answer)
    : ended("failed", loopState, tooManyCalls);
}

/** The beginning of an answer is one, the beginning of JSON that a program waits for is not. */
const answered = (turn: Turn, loopState: LoopState, { early }: Answer): EndedEvent =>
  early === undefined || turn.outputSchema === undefined
    ? ended("done", loopState)
    : ended("failed", loopState, early);

const ended = (outcome: EndedEvent["outcome"], loopState: LoopState, fault?: Fault): EndedEvent => ({
  type: "ended",
  outcome,
  text: loopState.text,
  calls: loopState.calls,
  ...(fault === undefined ? {} : { fault }),
  ...(loopState.usage === undefined ? {} : { usage: loopState.usage }),
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

/** The tools that the model is given: the list only ever grows at its end, so that prompt caches hold. */
type ShownTools = {
  now(): readonly ToolSpec[];
  /** Deferred ones of these names are given from now on. */
  add(names: readonly string[]): void;
};

/** `messages`: what was said before. Tools that were found or called there are given from the beginning. */
function shownTools(specs: readonly ToolSpec[], messages: readonly Message[]): ShownTools {
  const deferred = new Map(specs.filter((spec) => spec.deferred).map((spec) => [spec.name, spec]));
  const found = new Set<string>();
  const add = (names: readonly string[]): void => {
    for (const name of names) if (deferred.has(name)) found.add(name);
  };
  add(namesIn(messages));
  // Not later in the turn: what goes from the middle of the list costs more than it saves.
  const isAllFound = found.size === deferred.size;
  const always = specs.filter(
    ({ name, deferred: later }) => !later && !(isAllFound && name === toolSearchName),
  );
  return { add, now: () => [...always, ...[...found].flatMap((name) => deferred.get(name) ?? [])] };
}

/** Names that were called, and those that searches gave, in the order in which they came up. */
function namesIn(messages: readonly Message[]): readonly string[] {
  const searches = new Set<string>();
  return messages.flatMap((message) => {
    if (message.role === "tool") return searches.has(message.toolCallId) ? namesFound(message.content) : [];
    if (message.role !== "assistant") return [];
    const calls = message.toolCalls ?? [];
    for (const { id, name } of calls) if (name === toolSearchName) searches.add(id);
    return calls.map(({ name }) => name);
  });
}

/** What a person says into a running turn. It is taken only while tools run, because the model gets it below their last result. */
type Steering = {
  readonly steer: (input: readonly InputPart[]) => Steered;
  readonly open: () => void;
  /** Hands out what was taken. From now on nothing is. */
  readonly close: () => readonly string[];
};

function steering(): Steering {
  let taken: string[] | undefined;
  return {
    steer(input) {
      const texts = input.flatMap((part) => (part.type === "text" ? [part.text] : []));
      // The result of a tool is text: a picture has to wait for a turn of its own.
      if (taken === undefined || texts.length < input.length) return "refused";
      taken.push(texts.join("\n"));
      return "taken";
    },
    open() {
      taken = [];
    },
    close() {
      const words = taken ?? [];
      taken = undefined;
      return words;
    },
  };
}
