import { AsyncLocalStorage } from "node:async_hooks";
import { DefaultRestOptions, REST, type RawFile, type RequestMethod } from "discord.js";
import { fieldsOf, parsedJson } from "../../../core/json.ts";
import { withinTime } from "../../../lib/time-limit.ts";
import type { Clock } from "../../../lib/clock.ts";
import { problemOf, type Problem } from "./problem.ts";

export type Call = {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly route: `/${string}`;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly file?: RawFile;
  /** It carries a key of its own instead of the token. */
  readonly isOpen?: boolean;
  readonly limitMs?: number;
};
export type Called = { readonly answer: unknown } | { readonly problem: Problem };

/** Calls of the REST API. Never rejects; ends in time, whatever the other side does. */
export type Calls = (call: Call, signal: AbortSignal) => Promise<Called>;

const usualLimitMs = 15_000;
/** The library's own limit goes by real time, and must not come before ours. */
const never = 2 ** 31 - 1;

/**
 * The library waits for rate limits by itself and repeats what failed, both without a word. Here neither happens: what the platform
 * holds back is said, and nothing is sent twice.
 */
export function makeCalls(deps: {
  readonly token: string;
  readonly api: string;
  readonly clock: Clock;
}): Calls {
  const travel = new AsyncLocalStorage<{ left: boolean }>();
  const rest = new REST({
    version: "10",
    api: deps.api,
    retries: 0,
    timeout: never,
    offset: 0,
    rejectOnRateLimit: () => true,
    async makeRequest(url, init) {
      const journey = travel.getStore();
      if (journey !== undefined) journey.left = true;
      const response = await DefaultRestOptions.makeRequest(url, init);
      return response.status === 429 && !response.headers.has("retry-after") ? withPause(response) : response;
    },
  });
  return async (call, signal) => {
    if (signal.aborted) return { problem: unfinished("stopped", false) };
    const journey = { left: false };
    // A 401 makes the library forget the token, and every later call fails for that reason instead of its own.
    rest.setToken(deps.token);
    try {
      const ended = await withinTime(call.limitMs ?? usualLimitMs, deps.clock, signal, (inner) =>
        travel.run(journey, () => rest.request(requestOf(call, inner))),
      );
      if (ended.end === "done") return { answer: ended.value };
      return { problem: unfinished(ended.end, journey.left) };
    } catch (error) {
      return { problem: problemOf(error, journey.left) };
    }
  };
}

type AnyResponse = Awaited<ReturnType<typeof DefaultRestOptions.makeRequest>>;

/** How long to wait is also in the body of a 429, and the library reads it from the header alone. */
async function withPause(response: AnyResponse): Promise<AnyResponse> {
  const body = await response.text();
  const headers = new Headers([...response.headers]);
  const { retry_after: seconds } = fieldsOf(parsedJson(body));
  if (typeof seconds === "number") headers.set("retry-after", String(seconds));
  return new Response(body, { status: response.status, headers });
}

function requestOf(call: Call, signal: AbortSignal): Parameters<REST["request"]>[0] {
  return {
    method: call.method as RequestMethod,
    fullRoute: call.route,
    signal,
    ...(call.isOpen === true ? { auth: false } : {}),
    ...(call.query === undefined ? {} : { query: new URLSearchParams(call.query) }),
    ...(call.body === undefined ? {} : { body: call.body }),
    ...(call.file === undefined ? {} : { files: [call.file] }),
  };
}

function unfinished(end: "late" | "stopped", left: boolean): Problem {
  const what = end === "late" ? "Discord did not answer in time" : "The call was given up";
  return left
    ? { kind: "unknown", why: `${what}.` }
    : { kind: "notSent", why: `${what}, before it was sent.` };
}
