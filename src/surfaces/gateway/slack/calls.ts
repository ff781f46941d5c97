import { WebClient } from "@slack/web-api";
import type { ServeLog } from "../../../core/serving/door.ts";
import { type Fields, fieldsOf } from "../../../core/json.ts";
import type { Clock } from "../../../lib/clock.ts";
import { withinTime } from "../../../lib/time-limit.ts";
import { type CallFailure, failureOf } from "./failures.ts";
import { quietLogger } from "./quiet-logger.ts";

export type Answered = { readonly answer: Fields } | { readonly failure: CallFailure };

/** One call of the Web API. It never rejects, and never takes longer than `ms`. */
export type Call = (
  method: string,
  args: Readonly<Record<string, unknown>>,
  limits?: { readonly signal?: AbortSignal; readonly ms?: number },
) => Promise<Answered>;

export const defaultApi = "https://slack.com/api/";
const usualMs = 30_000;

/**
 * Nothing is tried again here: whether that is right depends on what the call does. A client for each call, because Slack's has no
 * way to end a single one.
 */
export function slackCalls(deps: {
  readonly token: string;
  readonly api: string;
  readonly clock: Clock;
  readonly log: ServeLog;
  readonly over: AbortSignal;
}): Call {
  const logger = quietLogger(deps.log);
  return async (method, args, { signal, ms = usualMs } = {}) => {
    const stop = signal === undefined ? deps.over : AbortSignal.any([signal, deps.over]);
    if (stop.aborted) return { failure: { kind: "notSent", why: "It was stopped before it was sent." } };
    const limited = await withinTime(ms, deps.clock, stop, (inner) => {
      let status: number | undefined;
      const client = new WebClient(deps.token, {
        ...callOptions(deps.api, async (url, init) => {
          const response = await fetch(url, { ...init, signal: inner });
          status = response.status;
          return response;
        }),
        logger,
      });
      return client.apiCall(method, args).then(
        (answer): Answered => ({ answer: fieldsOf(answer) }),
        (error: unknown): Answered => ({ failure: failureOf(error, status) }),
      );
    });
    if (limited.end === "done") return limited.value;
    const why =
      limited.end === "late" ? `Slack did not answer within ${ms / 1000} s.` : "It was stopped on its way.";
    return { failure: { kind: "unknown", why } };
  };
}

type Fetch = NonNullable<NonNullable<ConstructorParameters<typeof WebClient>[1]>["fetch"]>;

/** Also for the call that opens a socket. */
export const callOptions = (slackApiUrl: string, fetcher: Fetch) => ({
  slackApiUrl,
  fetch: fetcher,
  retryConfig: { retries: 0 },
  rejectRateLimitedCalls: true,
});
