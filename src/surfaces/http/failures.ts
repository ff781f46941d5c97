import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { type Failure, toFailure } from "../../core/failure.ts";
import type { Env } from "./visit.ts";

/** Why a request was not taken, before any operation was asked. */
export class HttpFailure extends Error {
  readonly status: ContentfulStatusCode;
  readonly failure: Failure & { readonly param?: string };
  /** Seconds. */
  readonly retryAfter: number | undefined;
  constructor(
    status: ContentfulStatusCode,
    code: string,
    message: string,
    next: string,
    more: { readonly retryAfter?: number; readonly param?: string } = {},
  ) {
    super(message);
    this.name = "HttpFailure";
    this.status = status;
    this.failure = { code, message, next, ...(more.param === undefined ? {} : { param: more.param }) };
    this.retryAfter = more.retryAfter;
  }
}

/** Something in a request that is not taken, by the name of its field. */
export const unsupported = (param: string, message: string, next: string): HttpFailure =>
  new HttpFailure(400, "unsupported", message, next, { param });

const statuses: Readonly<Record<string, ContentfulStatusCode>> = {
  usage: 400,
  refused: 403,
  not_found: 404,
  busy: 409,
  config: 409,
  quota: 429,
  rate_limited: 429,
  context_full: 413,
  stopping: 503,
  overloaded: 503,
  storage: 507,
  auth: 502,
  network: 502,
  protocol: 502,
  lost: 502,
};

export const statusOf = (code: string): ContentfulStatusCode => statuses[code] ?? 500;

export function answered(error: unknown): {
  readonly status: ContentfulStatusCode;
  readonly failure: Failure & { readonly param?: string };
  readonly retryAfter?: number;
} {
  if (!(error instanceof HttpFailure)) {
    const failure = toFailure(error);
    return { status: statusOf(failure.code), failure };
  }
  const { status, failure, retryAfter } = error;
  return { status, failure, ...(retryAfter === undefined ? {} : { retryAfter }) };
}

/** The one form of every error: what OpenAI's clients read, and what to do next. */
export function errorBody(
  { code, message, next, param }: Failure & { readonly param?: string },
  status: number,
) {
  return { error: { code, message, next, type: typeOf(status), param: param ?? null } };
}

function typeOf(status: number): string {
  if (status === 401) return "authentication_error";
  if (status === 403) return "permission_error";
  if (status === 429) return "rate_limit_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}

export function errorResponse(c: Context<Env>, error: unknown): Response {
  const { status, failure, retryAfter } = answered(error);
  if (retryAfter !== undefined) c.header("Retry-After", String(retryAfter));
  if (status === 401) c.header("WWW-Authenticate", "Bearer");
  return c.json(errorBody(failure, status), status);
}
