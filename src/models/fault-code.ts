import type { FaultCode } from "../core/faults.ts";
import type { ProviderError } from "./error-body.ts";

/** Words win over the status: providers send an exhausted quota as 429 and a full context as 400. */
export function codeOf(error: ProviderError, status: number | undefined): FaultCode | undefined {
  const known = byWord.get(error.code.toLowerCase()) ?? byWord.get(error.type.toLowerCase());
  if (known !== undefined) return known;
  if (tooLong.test(error.message)) return "context_full";
  return status === undefined ? undefined : byStatus(status);
}

/** A wrong model name and a wrong address are both `config`, but need another remedy. */
export const isModelError = (error: ProviderError): boolean =>
  byWord.get(error.code) === "config" || /\bmodel\b/i.test(error.message);

/** What providers put into `code` or `type`. */
const words = {
  auth: ["invalid_api_key", "authentication_error", "permission_error", "permission_denied", "unauthorized"],
  quota: [
    "insufficient_quota",
    "quota_exceeded",
    "billing_hard_limit_reached",
    "billing_error",
    "insufficient_credits",
    "usage_limit_reached",
    "usage_not_included",
  ],
  rate_limited: ["rate_limit_exceeded", "rate_limit_error", "too_many_requests"],
  overloaded: [
    "server_error",
    "internal_server_error",
    "server_is_overloaded",
    "overloaded_error",
    "service_unavailable",
    "slow_down",
  ],
  context_full: ["context_length_exceeded", "exceed_context_size_error", "request_too_large"],
  refused: ["content_filter", "content_policy_violation", "invalid_prompt"],
  config: ["model_not_found", "deployment_not_found"],
} as const satisfies Partial<Record<FaultCode, readonly string[]>>;

const byWord: ReadonlyMap<string, FaultCode> = new Map(
  Object.entries(words).flatMap(([code, list]) => list.map((word) => [word, code as FaultCode] as const)),
);

/** Servers without a word of their own for it say one of these. */
const tooLong =
  /maximum context length|context (?:window|length|size)\b.*\bexceed|exceed\w*\b.*\bcontext (?:window|length|size)|prompt is too long/i;

function byStatus(status: number): FaultCode {
  if (status === 401 || status === 403) return "auth";
  if (status === 402) return "quota";
  if (status === 407 || status === 408) return "network";
  if (status === 413) return "context_full";
  if (status === 429) return "rate_limited";
  if (status >= 500) return "overloaded";
  if (status === 404 || status === 405 || status === 410 || (status >= 300 && status < 400)) return "config";
  return "protocol";
}
