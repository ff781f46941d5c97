import type { StoredDevice, StoredKey } from "../../core/access.ts";
import { clean } from "../../core/plain-text.ts";
import { type Scope, scopes } from "../../core/principal.ts";
import { minute } from "../../operations/text/time.ts";
import { type Action, type Actions, type Options, textOf, wholeNumber } from "./action.ts";
import { usage } from "./failure.ts";
import { unpricedWarnings } from "./unpriced.ts";
import type { CliPorts } from "./ports.ts";

const add: Action = async (client, { words: [name = ""], options }) => {
  const { key, ...row } = await client.call("keys.add", {
    name,
    scopes: scopesOf(options),
    ...budgetOf(options),
  });
  const once = `this is the only time that the key of ${clean(name)} is shown`;
  const unpriced = await unpricedWarnings(client, row.budget, [undefined], "--budget-tokens");
  return { text: key, rows: [{ ...row, key }], warnings: [once, ...unpriced] };
};

const listKeys: Action = async (client) => {
  const rows = await client.call("keys.list", {});
  return {
    text:
      rows.length === 0 ? "There are no keys. Make one: talaria keys add NAME" : rows.map(line).join("\n"),
    rows,
  };
};

const revokeKey: Action = async (client, { words: [id = ""] }) => {
  const row = await client.call("keys.revoke", { id });
  return { text: `Revoked: ${clean(row.name)} (${row.id}).`, rows: [row] };
};

const listDevices: Action = async (client) => {
  const rows = await client.call("devices.list", {});
  return {
    text: rows.length === 0 ? "No browser was let in. Let one in: talaria open" : rows.map(line).join("\n"),
    rows,
  };
};

const revokeDevice: Action = async (client, { words: [id = ""] }) => {
  const row = await client.call("devices.revoke", { id });
  return { text: `Revoked: ${clean(row.name)} (${row.id}).`, rows: [row] };
};

/** `talaria open`. */
export const open: Action = async (client, { options, ports }) => {
  const name = textOf(options["name"]);
  const typed = textOf(options["port"]);
  const port = typed === undefined ? await servedPort(ports, options) : wholeNumber("--port", typed);
  const link = await client.call("devices.add", {
    ...(name === undefined ? {} : { name }),
    ...(port === undefined ? {} : { port }),
  });
  return {
    text: link.url,
    rows: [link],
    warnings: ["the address lets one browser in, once, within five minutes"],
  };
};

/** That of the host that serves this home, whatever it was told. */
async function servedPort(ports: CliPorts, { profile }: Options): Promise<number | undefined> {
  const doors = await ports.doors(profile === undefined ? {} : { profile });
  const door = doors.find((address) => address.startsWith("http"));
  return door === undefined ? undefined : Number(new URL(door).port);
}

/** `talaria keys …`. */
export const keys: Actions = { add, list: listKeys, revoke: revokeKey };

/** `talaria devices …`. */
export const devices: Actions = { list: listDevices, revoke: revokeDevice };

function scopesOf({ scope }: Options): readonly Scope[] {
  const wanted = [scope ?? []].flat().map(String);
  const wrong = wanted.find((word) => !scopes.some((each) => each === word));
  if (wrong !== undefined) throw usage(`"${wrong}" is not a scope.`, `Use one of: ${scopes.join(", ")}.`);
  return wanted.length === 0 ? ["operate"] : (wanted as Scope[]);
}

function budgetOf(options: Options): {
  readonly budget?: { readonly tokens?: number; readonly usd?: number };
} {
  const tokens = textOf(options["budgetTokens"]);
  const usd = textOf(options["budgetUsd"]);
  if (tokens === undefined && usd === undefined) return {};
  const cost = Number(usd);
  if (usd !== undefined && !(cost > 0)) throw usage(`--budget-usd ${usd}: not an amount above 0.`);
  return {
    budget: {
      ...(tokens === undefined ? {} : { tokens: wholeNumber("--budget-tokens", tokens) }),
      ...(usd === undefined ? {} : { usd: cost }),
    },
  };
}

function line({
  id,
  name,
  scopes: allowed,
  lastUsedAt,
  revokedAt,
  ...row
}: StoredKey | StoredDevice): string {
  const used = lastUsedAt === undefined ? "never used" : `used ${minute(lastUsedAt)}`;
  const state = revokedAt === undefined ? used : `revoked ${minute(revokedAt)}`;
  const budget = "budget" in row && row.budget !== undefined ? `  ${budgetText(row.budget)}` : "";
  return `${id}  ${clean(name).padEnd(16)}  ${allowed.join(",").padEnd(12)}  ${state}${budget}`;
}

const budgetText = ({ tokens, usd }: NonNullable<StoredKey["budget"]>): string =>
  [tokens === undefined ? [] : `${tokens} tokens a day`, usd === undefined ? [] : `$${usd} a day`]
    .flat()
    .join(", ");
