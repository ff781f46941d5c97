import type { Usage } from "../../core/events.ts";
import { stableJson } from "../../core/json.ts";
import { type Message, userMessage, withSteeredWords } from "../../core/messages.ts";
import { addUsage } from "../../core/spend.ts";
import type { ModelRequest } from "../../models/model.ts";
import { projectText, type Turn } from "../runtime.ts";
import type { Answer, Call } from "./answer.ts";
import { argsOf } from "./calls.ts";
import type { Routing } from "./fallback.ts";

/** What a turn has come to so far. */
export type LoopState = {
  /** Come before the turn's own instructions. */
  readonly baseInstructions: string;
  /** Everything before this turn; a shorter version of it after a compaction. */
  history: readonly Message[];
  /** This turn's own messages, the person's first: they are never shortened. */
  readonly own: Message[];
  /** Reasoning of this turn that only its route can read, each with its place among the messages. */
  sealed: NonNullable<ModelRequest["sealed"]>;
  routing: Routing;
  /** Requests so far: their items are numbered by it. */
  asked: number;
  compacted: boolean;
  text: string;
  calls: number;
  usage?: Usage;
};

export const startLoopState = (
  { input, doneElsewhere = [] }: Turn,
  history: readonly Message[],
  routing: Routing,
  baseInstructions = "",
): LoopState => ({
  baseInstructions,
  history,
  own: [userMessage(input), ...doneElsewhere],
  sealed: [],
  routing,
  asked: 0,
  compacted: false,
  text: "",
  calls: 0,
});

/** Adds an answer that has come to its end, whatever that was. */
export function noteAnswer(loopState: LoopState, answer: Answer): void {
  loopState.text = answer.text === "" && answer.calls.length === 0 ? answer.allText : answer.text;
  if (answer.usage !== undefined)
    loopState.usage = addUsage(loopState.usage, spentOn(loopState.routing, answer.usage));
  if (answer.unsealed) loopState.sealed = [];
  if (answer.allText === "" && answer.calls.length === 0) return;
  const before = loopState.history.length + loopState.own.length;
  loopState.sealed = [...loopState.sealed, ...answer.sealed.map((data) => ({ before, data }))];
  const toolCalls = answer.calls.map((call) => ({
    id: call.callId,
    name: call.tool,
    arguments: written(call),
  }));
  loopState.own.push({
    role: "assistant",
    content: answer.allText,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
  });
}

const spentOn = ({ route }: Routing, usage: Usage): Usage => {
  const { input, cached, output, reasoning } = usage;
  const spend = { provider: route.name, model: route.model, input, cached, output, reasoning };
  const { contextWindow: window } = route;
  const context = { ...usage.context, ...(window === undefined ? {} : { window }) };
  return { ...usage, context, models: [spend] };
};

/** The bytes that the next turn will find in its history, so that prompt caches hold. */
function written(call: Call): string {
  try {
    return stableJson(argsOf(call));
  } catch {
    return "{}";
  }
}

/** `meanwhile`: what the person said while the calls ran. */
export function noteResults(
  loopState: LoopState,
  results: readonly { readonly callId: string; readonly output: string }[],
  meanwhile: readonly string[],
): void {
  loopState.calls += results.length;
  for (const [at, { callId, output }] of results.entries()) {
    const words = at === results.length - 1 ? meanwhile : [];
    loopState.own.push({ role: "tool", toolCallId: callId, content: withSteeredWords(output, words) });
  }
}

/** Leaves out what only the route that made it can read. */
export function moveTo(loopState: LoopState, routing: Routing): void {
  loopState.routing = routing;
  loopState.sealed = [];
}

/** The next request. Without tools: the model is to answer now. */
export function modelRequest(turn: Turn, loopState: LoopState, tools: ModelRequest["tools"]): ModelRequest {
  return {
    model: loopState.routing.route.model,
    instructions: instructions(loopState.baseInstructions, turn),
    messages: [...loopState.history, ...loopState.own],
    tools,
    cacheKey: turn.session,
    ...(loopState.sealed.length === 0 ? {} : { sealed: loopState.sealed }),
    ...(turn.effort === undefined ? {} : { effort: turn.effort }),
    ...(turn.outputSchema === undefined ? {} : { outputSchema: turn.outputSchema }),
  };
}

const instructions = (baseInstructions: string, { instructions: own, project, context }: Turn): string =>
  [baseInstructions, own, projectText(project), ...context].filter((part) => part !== "").join("\n\n");

/** Some servers number the calls of each answer from 0; within one conversation an id may stand for one call only. */
export function uniqueIds({ history, own, asked }: LoopState): (id: string) => string {
  const used = new Set(
    [...history, ...own].flatMap((message) =>
      message.role === "assistant" ? (message.toolCalls ?? []).map((call) => call.id) : [],
    ),
  );
  return (id) => {
    let free = id;
    for (let copy = asked; used.has(free); copy += 1) free = `${id}_${copy}`;
    used.add(free);
    return free;
  };
}
