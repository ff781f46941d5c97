import { createHmac, timingSafeEqual } from "node:crypto";
import { fieldsOf, parsedJson } from "../../../core/json.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Handed } from "./parse.ts";
import type { SlashReply } from "./slash-command.ts";

/** A request of Slack, as it came: names of headers in small letters, the body byte for byte. */
export type SlackRequest = {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
};
export type SlackReply = { readonly status: number; readonly body: string };

export type HttpEvents = (request: SlackRequest) => Promise<SlackReply>;

const mostSecondsOff = 5 * 60;

/**
 * Slack's events over HTTP. Who does not know the secret is not listened to. Answered with 200 only when it is stored: with anything else
 * Slack sends it again.
 */
export const httpEvents =
  (deps: {
    readonly secret: string;
    readonly clock: Clock;
    alive(): void;
    handed(handed: Handed): Promise<SlashReply | undefined>;
    /** The request is Slack's, but its time is far from ours. */
    skewed(seconds: number): void;
  }): HttpEvents =>
  async ({ headers, body }) => {
    const [stamp = "", signature = ""] = [headers["x-slack-request-timestamp"], headers["x-slack-signature"]];
    if (!isSigned(deps.secret, stamp, body, signature)) return reply(401, "not signed by Slack");
    const off = Math.abs(deps.clock.now() / 1000 - Number(stamp));
    if (!(off <= mostSecondsOff)) {
      deps.skewed(Math.round(off));
      return reply(401, "too old, or from a clock that is wrong");
    }
    deps.alive();
    const payload = payloadOf(headers["content-type"] ?? "", body);
    const { type, challenge } = fieldsOf(payload);
    if (type === "url_verification") return reply(200, typeof challenge === "string" ? challenge : "");
    try {
      const said = await deps.handed({ type: kindOf(payload), body: payload });
      return reply(200, said?.text ?? "");
    } catch {
      return reply(503, "not stored, please send it again");
    }
  };

const reply = (status: number, body: string): SlackReply => ({ status, body });

function isSigned(secret: string, stamp: string, body: string, signature: string): boolean {
  if (!/^\d{1,12}$/.test(stamp)) return false;
  const expected = Buffer.from(
    `v0=${createHmac("sha256", secret).update(`v0:${stamp}:${body}`).digest("hex")}`,
  );
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function kindOf(payload: unknown): string {
  const { type, command } = fieldsOf(payload);
  if (type === "event_callback") return "events_api";
  return typeof command === "string" ? "slash_commands" : "interactive";
}

/** Presses come as a form with JSON in it, slash commands as a form. */
function payloadOf(type: string, body: string): unknown {
  if (!type.startsWith("application/x-www-form-urlencoded")) return parsedJson(body);
  const form = new URLSearchParams(body);
  return form.has("command") ? Object.fromEntries(form) : parsedJson(form.get("payload") ?? "");
}
