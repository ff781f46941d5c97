import type { EndedEvent, TurnEvent, Usage } from "../../core/events.ts";
import { type Fault, bugFault } from "../../core/faults.ts";
import type { Message } from "../../core/messages.ts";
import { userMessage } from "../../core/messages.ts";
import type { TalkEvent } from "../../models/converse.ts";
import type { ModelRequest, Route, StreamOptions } from "../../models/model.ts";
import type { Ports, Runtime, Turn } from "../runtime.ts";
import { type Answer, readAnswer } from "./answer.ts";
import { runCalls } from "./calls.ts";

/** Requests to the model in one turn; past it the turn ends and says so. */
const maxRounds = 100;

export type LoopDeps = {
  /** Where this turn's model is. A Fault when the settings name none that can be used. */
  readonly route: (turn: Turn) => Promise<Route | Fault>;
  readonly stream: (route: Route, request: ModelRequest, options: StreamOptions) => AsyncIterable<TalkEvent>;
};

/** Our own agent loop: ask the model, run the tools it calls, ask again, until it answers. */
export function loopRuntime(deps: LoopDeps): Runtime {
  return {
    name: "loop",
    run: (turn, ports) => guarded(deps, turn, ports),
    steer: async () => "refused",
    // Nobody but us has seen the turn: what was committed is all there is.
    recover: async () => [],
    async [Symbol.asyncDispose]() {},
  };
}

/** Keeps the promise of the contract that iterating never throws. */
async function* guarded(deps: LoopDeps, turn: Turn, ports: Ports): AsyncIterable<TurnEvent> {
  try {
    yield* loop(deps, turn, ports);
  } catch (error) {
    yield { type: "ended", outcome: "failed", fault: bugFault(error), text: "", calls: 0 };
  }
}

async function* loop(deps: LoopDeps, turn: Turn, ports: Ports): AsyncIterable<TurnEvent> {
  const route = await deps.route(turn);
  const model = turn.model ?? ("model" in route ? route.model : "");
  yield { type: "started", runtime: "loop", model, cwd: turn.cwd };
  const state: State = {
    messages: [...turn.history, userMessage(turn.input)],
    text: "",
    calls: 0,
    sealed: [],
  };
  if ("code" in route) return yield ended("failed", state, route);

  for (let round = 0; round < maxRounds; round += 1) {
    if (ports.signal.aborted) return yield ended("interrupted", state);
    yield { type: "status", state: "thinking" };
    const request = modelRequest(turn, model, state, ports);
    const frames = deps.stream(route, request, { signal: ports.signal, clock: ports.clock });
    const answer = yield* readAnswer(
      frames,
      `${turn.id}_${round}`,
      route.name,
      uniqueIds(state.messages, round),
    );
    note(state, answer);
    if (answer.usage !== undefined) yield { type: "usage", ...answer.usage };
    if (answer.stop === "aborted") return yield ended("interrupted", state);
    if (answer.stop !== "completed") return yield ended("failed", state, answer.stop);
    if (answer.calls.length === 0) return yield ended("done", state);
    yield { type: "status", state: "tool" };
    const results = yield* runCalls(answer.calls, ports);
    state.calls += results.length;
    state.messages.push(
      ...results.map(({ callId, output }) => ({
        role: "tool" as const,
        toolCallId: callId,
        content: output,
      })),
    );
  }
  yield ended("failed", state, tooManyRounds);
}

/** Some servers number the calls of each answer from 0; within one conversation an id may stand for one call only. */
function uniqueIds(messages: readonly Message[], round: number): (id: string) => string {
  const used = new Set(
    messages.flatMap((message) =>
      message.role === "assistant" ? (message.toolCalls ?? []).map((call) => call.id) : [],
    ),
  );
  return (id) => {
    let free = id;
    for (let copy = round; used.has(free); copy += 1) free = `${id}_${copy}`;
    used.add(free);
    return free;
  };
}

type State = {
  readonly messages: Message[];
  /** Reasoning of this turn that only its route can read, each with its place among the messages. */
  sealed: NonNullable<ModelRequest["sealed"]>;
  text: string;
  calls: number;
  usage?: Usage;
};

function note(state: State, answer: Answer): void {
  state.text = answer.text;
  const { usage } = answer;
  if (usage !== undefined) state.usage = sum(state.usage, usage);
  if (answer.unsealed) state.sealed = [];
  if (answer.text === "" && answer.calls.length === 0) return;
  const before = state.messages.length;
  state.sealed = [...state.sealed, ...answer.sealed.map((data) => ({ before, data }))];
  const toolCalls = answer.calls.map(({ callId, tool, rawArgs }) => ({
    id: callId,
    name: tool,
    arguments: rawArgs,
  }));
  state.messages.push({
    role: "assistant",
    content: answer.allText,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
  });
}

const instructions = ({ instructions: own, project, context }: Turn): string =>
  [own, project === "" ? "" : `The project's AGENTS.md says how to work in it:\n\n${project}`, ...context]
    .filter((part) => part !== "")
    .join("\n\n");

/** Tokens add up over the turn; the context is what the last request filled. */
const sum = (before: Usage | undefined, now: Usage): Usage => ({
  input: (before?.input ?? 0) + now.input,
  cached: (before?.cached ?? 0) + now.cached,
  output: (before?.output ?? 0) + now.output,
  reasoning: (before?.reasoning ?? 0) + now.reasoning,
  context: now.context,
});

function modelRequest(turn: Turn, model: string, { messages, sealed }: State, ports: Ports): ModelRequest {
  return {
    model,
    instructions: instructions(turn),
    messages,
    tools: ports.tools.specs,
    cacheKey: turn.session,
    ...(sealed.length === 0 ? {} : { sealed }),
    ...(turn.effort === undefined ? {} : { effort: turn.effort }),
    ...(turn.outputSchema === undefined ? {} : { outputSchema: turn.outputSchema }),
  };
}

const ended = (outcome: EndedEvent["outcome"], state: State, fault?: Fault): EndedEvent => ({
  type: "ended",
  outcome,
  text: state.text,
  calls: state.calls,
  ...(fault === undefined ? {} : { fault }),
  ...(state.usage === undefined ? {} : { usage: state.usage }),
});

const tooManyRounds: Fault = {
  code: "refused",
  message: `The model asked for tools ${maxRounds} times without an answer, so the turn was ended.`,
  next: "What it did is kept. Ask it to sum up, or ask for a smaller step.",
};
