import { GrammyError, HttpError } from "grammy";
import type { SendResult } from "../../../core/gateway/chat.ts";
import { short } from "../../../core/plain-text.ts";
import { TransportError } from "./transport.ts";

/**
 * What became of a call that did not succeed. `held`: Telegram wants no more for so long, and did nothing. `notSent`: it never arrived.
 * `token`: Telegram does not know the bot. `conflict`: another one polls, or a webhook is set. `refused`: it will not do it, in its own
 * words; `movedTo`: where the group has gone. `unknown`: it may have been done.
 */
export type CallFailure =
  | { readonly kind: "held"; readonly ms: number }
  | { readonly kind: "notSent"; readonly why: string }
  | { readonly kind: "token"; readonly why: string }
  | { readonly kind: "conflict"; readonly why: string }
  | { readonly kind: "refused"; readonly why: string; readonly movedTo?: number }
  | { readonly kind: "unknown"; readonly why: string };

export const tokenAdvice =
  "Telegram does not accept the bot token. Ask @BotFather for the right one (/token), set it, and start again.";

export function asSendResult(failure: CallFailure): SendResult {
  switch (failure.kind) {
    case "held":
      return { heldMs: failure.ms };
    // A token can be set right, and then the message still has to go out.
    case "token":
    case "conflict":
    case "notSent":
      return { notSent: failure.why };
    case "refused":
      return { refused: failure.why };
    case "unknown":
      return { unknown: failure.why };
  }
}

export const whyOf = (failure: CallFailure): string =>
  failure.kind === "held"
    ? `Telegram takes no more calls for ${Math.ceil(failure.ms / 1000)} s.`
    : failure.why;

export const isRefused = (failure: CallFailure, why: RegExp): boolean =>
  failure.kind === "refused" && why.test(failure.why);

/** What an error of grammy means. */
export function failureOf(error: unknown): CallFailure {
  if (error instanceof GrammyError) return answered(error);
  const inner = error instanceof HttpError ? error.error : error;
  if (!(inner instanceof TransportError)) {
    return { kind: "unknown", why: `Telegram could not be asked: ${short(String(inner), 200)}` };
  }
  if (inner.status === 429) return held(undefined);
  if (!inner.isOut) return { kind: "notSent", why: `Telegram was not reached: ${inner.message}` };
  return { kind: "unknown", why: `Telegram's answer did not arrive: ${inner.message}` };
}

/** Telegram does not always say for how long. */
const usualHoldSeconds = 5;

const held = (seconds: number | undefined): CallFailure => ({
  kind: "held",
  ms: 1000 * Math.max(1, seconds ?? usualHoldSeconds),
});

function answered({ error_code: code, description, parameters }: GrammyError): CallFailure {
  const why = short(description, 300);
  if (code === 429) return held(parameters.retry_after);
  if (code === 401 || code === 404) return { kind: "token", why: tokenAdvice };
  if (code === 409) return { kind: "conflict", why };
  if (code >= 500) return { kind: "unknown", why: `Telegram has a problem of its own: ${why}` };
  const { migrate_to_chat_id: movedTo } = parameters;
  return { kind: "refused", why, ...(movedTo === undefined ? {} : { movedTo }) };
}
