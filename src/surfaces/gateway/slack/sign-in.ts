import { type Fields, fieldsOf, listOf } from "../../../core/json.ts";
import { Refusal } from "../../../core/host.ts";
import type { Call } from "./calls.ts";
import { type CallFailure, whyOf } from "./failures.ts";
import { type SlackIdentity, accountOf } from "./identity.ts";

/** `lacking`: scopes without which some of it does not work. */
export type SignedIn = { readonly self: SlackIdentity; readonly lacking: readonly string[] };

export const botScopes = [
  "chat:write",
  "im:history",
  "channels:history",
  "groups:history",
  "app_mentions:read",
  "files:read",
  "files:write",
  "users:read",
];

/** Who the token makes us. Rejects with a Refusal. `call`: tries again by itself what may only have failed for a moment. */
export async function signIn(call: Call): Promise<SignedIn> {
  const answered = await call("auth.test", {}, { ms: 15_000 });
  if ("failure" in answered) throw refusalOf(answered.failure, botToken);
  const { answer } = answered;
  const [team, user, botId, name] = [answer["team_id"], answer["user_id"], answer["bot_id"], answer["user"]];
  if (typeof team !== "string" || typeof user !== "string") {
    throw new Refusal(
      "protocol",
      "Slack did not say who the bot is.",
      "Check the setting gateway.slack.api.",
    );
  }
  const lacking = lackingIn(answer);
  if (lacking.includes("chat:write")) {
    throw new Refusal(
      "auth",
      "The Slack app may not write messages: it lacks the scope chat:write.",
      botToken,
    );
  }
  const self = {
    team,
    user,
    account: accountOf(team, user),
    name: typeof name === "string" ? name : user,
    ...(typeof botId === "string" ? { botId } : {}),
  };
  return { self, lacking };
}

/** Slack says with each answer what the token may do; one that says nothing about it is believed. */
function lackingIn(answer: Fields): readonly string[] {
  const scopes = listOf(fieldsOf(answer["response_metadata"])["scopes"]);
  return scopes.length === 0 ? [] : botScopes.filter((scope) => !scopes.includes(scope));
}

const botToken = `Install the app in the workspace with the scopes ${botScopes.join(", ")}, and set the variable of gateway.slack.bot_token_env to its “Bot User OAuth Token” (xoxb-…).`;

export const appToken =
  "Switch on Socket Mode for the app, make an app-level token with the scope connections:write, and set the variable of gateway.slack.app_token_env to it (xapp-…).";

/** Why an adapter cannot start at all. `next`: what to do when Slack does not accept the token. */
export function refusalOf(failure: CallFailure, next: string): Refusal {
  const why = whyOf(failure);
  if (failure.kind === "refused")
    return new Refusal("auth", `Slack does not let the bot in (${failure.error}). ${why}`, next);
  if (failure.kind === "held") return new Refusal("rate_limited", why, "Try again after that.");
  return new Refusal("network", why, "Check the network and the setting gateway.slack.api, and try again.");
}
