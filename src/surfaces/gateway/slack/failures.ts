import type { SendResult } from "../../../core/gateway/chat.ts";
import { fieldsOf } from "../../../core/json.ts";
import { adviceFor } from "./advice.ts";

/**
 * What became of a call that did not succeed. `held`: Slack wants no more for so long, and did nothing. `notSent`: it never arrived.
 * `refused`: Slack will not do it; `error` is its own word for why. `unknown`: it may have been done.
 */
export type CallFailure =
  | { readonly kind: "held"; readonly ms: number }
  | { readonly kind: "notSent"; readonly why: string }
  | { readonly kind: "refused"; readonly error: string; readonly why: string }
  | { readonly kind: "unknown"; readonly why: string };

export function asSendResult(failure: CallFailure): SendResult {
  switch (failure.kind) {
    case "held":
      return { heldMs: failure.ms };
    case "notSent":
      return { notSent: failure.why };
    case "refused":
      return { refused: failure.why };
    case "unknown":
      return { unknown: failure.why };
  }
}

export function whyOf(failure: CallFailure): string {
  if (failure.kind !== "held") return failure.why;
  return `Slack takes no more calls for ${Math.ceil(failure.ms / 1000)} s.`;
}

/** What an error of Slack's libraries means. `status`: that of the answer, if one came. */
export function failureOf(error: unknown, status?: number): CallFailure {
  const { code, data, retryAfter, statusCode } = fieldsOf(error instanceof Error ? { ...error } : error);
  if (code === "slack_webapi_rate_limited_error") return held(Number(retryAfter));
  if (status === 429) return held(Number.NaN);
  if (code === "slack_webapi_platform_error") return answered(fieldsOf(data));
  if (code === "slack_webapi_http_error") return byStatus(Number(statusCode));
  if (code === "slack_webapi_request_error" && neverLeft(error)) {
    return { kind: "notSent", why: `Slack was not reached: ${deepest(error)}` };
  }
  return { kind: "unknown", why: `The connection to Slack broke off: ${deepest(error)}` };
}

/** Slack does not always say for how long. */
const usualHoldSeconds = 10;

function held(seconds: number): CallFailure {
  const isGiven = Number.isFinite(seconds) && seconds >= 0;
  return { kind: "held", ms: 1000 * (isGiven ? Math.max(1, seconds) : usualHoldSeconds) };
}

function answered(data: Readonly<Record<string, unknown>>): CallFailure {
  const error = String(data["error"]);
  // What is no answer of Slack's at all (half of one, the page of a proxy) stands here word for word.
  if (!/^[a-z][a-z0-9_]*$/.test(error)) return { kind: "unknown", why: "Slack's answer could not be read." };
  if (error === "ratelimited" || error === "rate_limited") {
    return held(Number(fieldsOf(data["response_metadata"])["retryAfter"] ?? Number.NaN));
  }
  if (mayBeDone.has(error)) return { kind: "unknown", why: `Slack had a fault of its own (${error}).` };
  if (error === "request_timeout") return { kind: "notSent", why: "The call did not reach Slack whole." };
  return { kind: "refused", error, why: adviceFor(error, data["needed"]) };
}

/** Slack says of these that a part may have been done before. */
const mayBeDone = new Set(["internal_error", "fatal_error", "service_unavailable"]);

function byStatus(status: number): CallFailure {
  if (status >= 500) return { kind: "unknown", why: `Slack had a fault of its own (HTTP ${status}).` };
  const why = `What answers at Slack's address says HTTP ${status}. Check the setting gateway.slack.api and the network.`;
  return { kind: "refused", error: `http_${status}`, why };
}

/** No byte of the call was sent: there was no connection yet, or none that can be trusted. */
function neverLeft(error: unknown): boolean {
  return causes(error).some(({ code }) => typeof code === "string" && beforeSending.test(code));
}

const beforeSending =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EAI_FAIL|ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_.*|CERT_.*|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*|ERR_INVALID_URL)$/;

type Cause = { readonly message: string; readonly code?: unknown };

function causes(error: unknown): readonly Cause[] {
  const found: Cause[] = [];
  for (let at = error; at instanceof Error && found.length < 8; at = at.cause) found.push(at);
  return found;
}

const deepest = (error: unknown): string => {
  const last = causes(error).at(-1);
  const code = typeof last?.code === "string" ? last.code : "";
  return last === undefined ? "it was closed." : (last.message || code).trim();
};
