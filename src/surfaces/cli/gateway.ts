import type { Client } from "../../core/calls.ts";
import { platforms } from "../../core/gateway/chat.ts";
import type { StoredPerson } from "../../core/gateway/tables.ts";
import { systemClock } from "../../lib/clock.ts";
import { gatewayStatusText, letInText, peopleText, testedText } from "../../operations/text/gateway-text.ts";
import { type Action, type Actions, type Options, textOf } from "./action.ts";
import { usage } from "./failure.ts";

const status: Action = async (client) => {
  const row = await client.call("gateway.status", {});
  return { text: gatewayStatusText(row, systemClock.now()), rows: [row] };
};

const people: Action = async (client) => {
  const listed = await client.call("gateway.people", {});
  return { text: peopleText(listed), rows: [...listed.people, ...listed.pairings] };
};

const pair: Action = async (client, { words: [code = ""], options }) => {
  const row = await client.call("gateway.pair", { code, ...roleOf(options) });
  return { text: letInText(row, await hasOwner(client)), rows: [row] };
};

const allow: Action = async (client, { words: [who = ""], options }) => {
  const name = textOf(options["name"]);
  const row = await client.call("gateway.allow", {
    who,
    ...roleOf(options),
    ...(name === undefined ? {} : { name }),
  });
  return { text: letInText(row, await hasOwner(client)), rows: [row] };
};

const revoke: Action = async (client, { words: [who = ""] }) => {
  const row = await client.call("gateway.revoke", { who });
  return { text: `No longer let in: ${row.surface}:${row.id}. What runs for them ends.`, rows: [row] };
};

const test: Action = async (client, { words: [typed] }) => {
  const surface = platforms.find((platform) => platform === typed);
  if (typed !== undefined && surface === undefined)
    throw usage(`"${typed}" is no chat app that Talaria knows.`, `Use one of: ${platforms.join(", ")}.`);
  const rows = await client.call("gateway.test", surface === undefined ? {} : { surface });
  return { text: testedText(rows), rows, code: rows.length > 0 && rows.every(({ ok }) => ok) ? 0 : 1 };
};

const resend: Action = async (client, { words: [id = ""] }) => {
  const row = await client.call("gateway.resend", { id });
  return {
    text: `It is sent again: ${row.id}. \`talaria why ${row.id}\` says what comes of it.`,
    rows: [row],
  };
};

/** `talaria gateway …`. */
export const actions: Actions = { status, people, pair, allow, revoke, test, resend };

const roles: readonly StoredPerson["role"][] = ["owner", "member", "guest"];

function roleOf(options: Options): { readonly role?: StoredPerson["role"] } {
  const said = textOf(options["role"]);
  if (said === undefined) return {};
  const role = roles.find((each) => each === said);
  if (role === undefined) throw usage(`--role ${said}: unknown.`, `Use one of: ${roles.join(", ")}.`);
  return { role };
}

async function hasOwner(client: Client): Promise<boolean> {
  const { people: all } = await client.call("gateway.people", {});
  return all.some(({ role, revokedAt }) => role === "owner" && revokedAt === undefined);
}
