import { bugFault } from "../core/faults.ts";
import { chat } from "./chat/machine.ts";
import { readAnswer } from "./answer.ts";
import { classify, type Problem } from "./fault.ts";
import { alarm, watchIdle, type IdleWatch } from "./idle.ts";
import type { FailedEvent, ModelEvent, ModelRequest, Route, StreamOptions } from "./model.ts";
import { type PostResponse, type PostRequest, post, sendableHeaders } from "./post.ts";
import { responses } from "./responses/machine.ts";
import { plainNames } from "./wire-names.ts";
import type { Wire, WireEvent, WireState } from "./wire.ts";

const idleMs = 120_000;
/** Nothing comes of an answer in one piece before all of it is there. */
const wholeIdleMs = 240_000;
/** A server that always says a little more is not idle, but has to end some time. */
const longestMs = 3_600_000;

/** Asks a model once and says what it answers. Never throws; the last event is `completed`, `failed` or `aborted`. */
export async function* stream(
  route: Route,
  request: ModelRequest,
  options: StreamOptions,
): AsyncGenerator<ModelEvent, void, void> {
  const giveUp = new AbortController();
  const limitMs = options.whole === true ? wholeIdleMs : idleMs;
  const stopFor = (problem: Problem) => () => giveUp.abort(new GivenUp(problem));
  using watches = new DisposableStack();
  const idle = watches.use(watchIdle(options.clock, limitMs, stopFor(idleProblem(limitMs))));
  watches.use(alarm(options.clock, longestMs, stopFor(endless)));
  const fail = (problem: Problem): FailedEvent => classify(problem, route, options.clock.now());
  const plainName = plainNames(request.tools.map((tool) => tool.name));
  let whole = false;
  try {
    const signal = AbortSignal.any([options.signal, giveUp.signal]);
    for await (const event of ask(route, request, { ...options, signal, idle, giveUp })) {
      whole = event.type === "completed";
      if (options.signal.aborted || (giveUp.signal.aborted && event.type === "delta")) break;
      idle.pause();
      yield event.type === "problem" ? fail(event.problem) : modelEvent(event, plainName, fail);
      idle.resume();
      if (whole || event.type === "problem") return;
    }
    yield options.signal.aborted ? { type: "aborted" } : fail(connectionProblem(giveUp.signal.reason, "cut"));
  } catch (error) {
    yield options.signal.aborted ? { type: "aborted" } : { type: "failed", fault: bugFault(error) };
  } finally {
    if (!whole) giveUp.abort(); // also when nobody listens any more: the connection must not outlive its use
  }
}

/** Why we ourselves ended a request. */
class GivenUp extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.kind);
    this.problem = problem;
  }
}

const idleProblem = (limitMs: number): Problem => ({ kind: "idle", seconds: limitMs / 1000 });
const endless: Problem = { kind: "endless", minutes: longestMs / 60_000 };

function modelEvent(
  event: Exclude<WireEvent, { type: "problem" }>,
  plainName: (wire: string) => string,
  fail: (problem: Problem) => FailedEvent,
): ModelEvent {
  if (event.type === "completed") {
    const { early, ...completed } = event;
    return early === undefined ? completed : { ...completed, early: fail(early).fault };
  }
  if (event.type !== "item" || event.item.kind !== "call") return event;
  return { type: "item", item: { ...event.item, name: plainName(event.item.name) } };
}

type ExchangeOptions = StreamOptions & { readonly idle: IdleWatch; readonly giveUp: AbortController };

function ask(route: Route, request: ModelRequest, options: ExchangeOptions): AsyncIterable<WireEvent> {
  return route.protocol === "chat"
    ? exchange(chat, route, request, options)
    : exchange(responses, route, request, options);
}

async function* exchange<State extends WireState>(
  wire: Wire<State>,
  route: Route,
  request: ModelRequest,
  options: ExchangeOptions,
): AsyncGenerator<WireEvent, void, void> {
  const prepared = prepare(wire, route, request, options);
  if ("problem" in prepared) return yield { type: "problem", problem: prepared.problem };
  const response = await send(options, prepared);
  if (response instanceof Error)
    return yield { type: "problem", problem: connectionProblem(response, "unreached") };
  if (!response.ok) return yield { type: "problem", problem: await httpProblem(response) };
  const body = response.body ?? emptyBody();
  const chunks = body.values({ preventCancel: true });
  try {
    yield* readAnswer(wire, chunks, options.idle, (error) => connectionProblem(error, "cut"));
  } finally {
    drain(body, options);
  }
}

const lingerMs = 1000;

/** Only a body that was read to its end leaves its connection to the next request. Nobody waits for that, nor for long. */
function drain(body: ReadableStream<Uint8Array>, { clock, giveUp }: ExchangeOptions): void {
  const limit = alarm(clock, lingerMs, () => giveUp.abort());
  void body
    .pipeTo(new WritableStream())
    .catch(() => {})
    .finally(() => limit[Symbol.dispose]());
}

type Prepared = { readonly url: URL; readonly init: Omit<PostRequest, "signal"> };

/** Redirects are not followed: a header with a key must not travel to an address nobody configured. */
function prepare<State extends WireState>(
  wire: Wire<State>,
  route: Route,
  request: ModelRequest,
  { whole = false, idempotencyKey }: StreamOptions,
): Prepared | { readonly problem: Problem } {
  try {
    const url = new URL(route.url);
    url.pathname = url.pathname.replace(/\/+$/, "") + wire.path;
    const accept = whole ? "application/json" : "text/event-stream";
    const headers = {
      ...sendableHeaders({
        "content-type": "application/json",
        accept,
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
        ...(route.key !== undefined && route.key !== "" && { authorization: `Bearer ${route.key}` }),
      }),
      ...sendableHeaders(route.headers),
    };
    const body = JSON.stringify(wire.body(request, !whole));
    return { url, init: { method: "POST", headers, body, redirect: "manual" } };
  } catch (error) {
    return { problem: { kind: "setting", error } };
  }
}

async function send(options: StreamOptions, { url, init }: Prepared): Promise<PostResponse | Error> {
  const { fetch = post } = options;
  try {
    return await fetch(url, { ...init, signal: options.signal });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

const connectionProblem = (error: unknown, kind: "unreached" | "cut"): Problem =>
  error instanceof GivenUp ? error.problem : { kind, error };

async function httpProblem(response: PostResponse): Promise<Problem> {
  const retryAfter = response.headers.get("retry-after");
  const location = response.headers.get("location");
  return {
    kind: "http",
    status: response.status,
    body: await firstText(response),
    ...(retryAfter === null ? {} : { retryAfter }),
    ...(location === null ? {} : { location }),
  };
}

const errorBytes = 64 * 1024;

/** As much of an error's body as can matter. That it breaks off does not hide the status. */
async function firstText(response: PostResponse): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? emptyBody()) {
      bytes += chunk.length;
      text += decoder.decode(chunk, { stream: true });
      if (bytes >= errorBytes) break;
    }
  } catch {
    return text;
  }
  return text;
}

const emptyBody = (): ReadableStream<Uint8Array> => new Blob([]).stream();
