import { DiscordAPIError, HTTPError, RateLimitError } from "discord.js";
import type { SendResult } from "../../../core/gateway/chat.ts";

/** Why a call of the API gave nothing. `code`: Discord's own number for the reason. */
export type Problem =
  | { readonly kind: "held"; readonly ms: number }
  | { readonly kind: "notSent"; readonly why: string; readonly status?: number }
  | { readonly kind: "refused"; readonly why: string; readonly status: number; readonly code: number }
  | { readonly kind: "unknown"; readonly why: string };

/**
 * What an error of the library means. `left`: the request was given to the network. Only then may it have arrived, unless no
 * connection came about.
 */
export function problemOf(error: unknown, left: boolean): Problem {
  if (error instanceof RateLimitError) return { kind: "held", ms: heldMs(error) };
  if (error instanceof DiscordAPIError) return refusal(error);
  if (error instanceof HTTPError) {
    return { kind: "unknown", why: `Discord answered with an error of its own (HTTP ${error.status}).` };
  }
  const why = error instanceof Error ? `${error.message || error.name}` : String(error);
  if (!left) return { kind: "notSent", why: `The request was not sent: ${why}` };
  const code = codeOf(error);
  if (
    code !== undefined &&
    (noConnection.has(code) || /^(?:ERR_TLS|CERT_|UNABLE_TO_|DEPTH_ZERO)/.test(code))
  ) {
    return { kind: "notSent", why: `Discord was not reached (${code}).` };
  }
  return { kind: "unknown", why: `The connection broke before Discord's answer came (${code ?? why}).` };
}

export function resultOf(problem: Problem): Exclude<SendResult, { readonly sent: string }> {
  switch (problem.kind) {
    case "held":
      return { heldMs: problem.ms };
    case "notSent":
      return { notSent: problem.why };
    case "refused":
      return { refused: problem.why };
    case "unknown":
      return { unknown: problem.why };
  }
}

/** Without a time from Discord (its front server answers so to whoever asked for much too much), a minute. */
const heldMs = ({ retryAfter, timeToReset, sublimitTimeout }: RateLimitError): number =>
  Math.ceil([retryAfter, sublimitTimeout, timeToReset].find((ms) => ms > 0) ?? 60_000);

function refusal(error: DiscordAPIError): Problem {
  const { status } = error;
  const code = Number(error.code);
  // What is no answer of the API comes from the server before it: nothing has reached the chat.
  if (Number.isNaN(code)) {
    return {
      kind: "notSent",
      status,
      why: `Discord's front server turned the request away (HTTP ${status}).`,
    };
  }
  if (status === 408) return { kind: "unknown", why: "Discord gave up waiting for the request (HTTP 408)." };
  return { kind: "refused", status, code, why: advice.get(code) ?? byStatus(status, error.message) };
}

function byStatus(status: number, message: string): string {
  if (status === 401) {
    return "Discord does not accept the bot's token any more. Make a new one under Bot in the developer portal, put it in place, and start again.";
  }
  return `Discord refused it: ${message.replaceAll("\n", "; ")} (HTTP ${status}).`;
}

/** What to do about the reasons that people can do something about (docs: opcodes and status codes, "JSON"). */
const advice: ReadonlyMap<number, string> = new Map([
  [10003, "The channel is not there any more."],
  [10008, "The message is not there any more: somebody has deleted it."],
  [40005, "The file is larger than Discord takes."],
  [50001, "The bot cannot see this channel. Give it the permission View Channel there, or invite it again."],
  [
    50007,
    "Discord delivers no direct message to this person: they block the bot, allow no direct messages, or share no server with it. They can write to the bot first, or allow direct messages in the privacy settings of a server they share.",
  ],
  [
    50013,
    "The bot lacks a permission in this channel. Allow it View Channel, Send Messages, Send Messages in Threads, Attach Files and Read Message History.",
  ],
  [50083, "The thread is archived. Open it again."],
  [160005, "The thread is locked. Unlock it, or write in the channel."],
]);

const noConnection = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "UND_ERR_CONNECT_TIMEOUT",
]);

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown };
  return typeof code === "string" ? code : codeOf(cause);
}
