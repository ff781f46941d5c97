import { type HttpBehind, type HttpSettings, type StoredKey, longEnough } from "../../core/access.ts";
import type { Handlers } from "../../core/calls.ts";
import { Refusal } from "../../core/host.ts";
import type { InboxId } from "../../core/ids.ts";
import type { InputFate } from "../../core/ledger.ts";
import { type Scope, scopes, withImplied } from "../../core/principal.ts";
import { hashOf, newSecret } from "../../lib/secret.ts";
import type { Joined } from "./joined.ts";

export type AccessOperation =
  | `keys.${"add" | "list" | "revoke"}`
  | `devices.${"add" | "list" | "revoke"}`
  | "inputs.get";

/** How long a code lets a browser in. */
const codeMs = 5 * 60_000;

/** Who comes in over HTTP, and what became of what they sent. */
export function accessHandlers(joined: Joined): Handlers<AccessOperation> {
  const { store, clock, loaded } = joined;
  const { access } = store;
  const { http } = loaded.config;
  return {
    async "keys.add"({ name, scopes: wanted, budget }) {
      if (!/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u.test(name))
        throw new Refusal(
          "usage",
          `A key cannot be called ${JSON.stringify(name)}.`,
          "Use letters, digits, spaces, - and _ (64 at most).",
        );
      const secret = newSecret();
      const row: StoredKey = {
        id: newAccessId("key"),
        name,
        scopes: withImplied(wanted),
        createdAt: clock.now(),
        ...(budget === undefined ? {} : { budget }),
      };
      if (!(await access.addKey(row, hashOf(secret))))
        throw new Refusal(
          "usage",
          `There is a key ${name} already.`,
          "Choose another name, or revoke that one first.",
        );
      return { ...row, key: `tal_${row.id.slice("key_".length)}_${secret}` };
    },
    "keys.list": async () => [...(await access.keys()), ...settingsKeys(http)],
    "keys.revoke": async ({ id }) => (await access.revokeKey(id, clock.now())) ?? notRevoked(http, id),
    async "devices.add"({ name = "browser", port = http.port }) {
      if (port === undefined)
        throw new Refusal(
          "usage",
          "Nobody has said on which port Talaria listens.",
          "Set http.port, start `talaria serve`, and try again; or say --port.",
        );
      if (/\p{Cc}/u.test(name) || name.length > 64)
        throw new Refusal(
          "usage",
          `A browser cannot be called ${JSON.stringify(name.slice(0, 64))}.`,
          "Use 64 characters at most, and none that control a terminal.",
        );
      const code = newSecret();
      const until = clock.now() + codeMs;
      const device = { id: newAccessId("dev"), name, scopes: ownersScopes, createdAt: clock.now() };
      await access.addDevice(device, { hash: hashOf(code), until });
      return { url: `${originOf(http, port)}/#code=${code}`, until, device: device.id };
    },
    "devices.list": () => access.devices(),
    "devices.revoke": async ({ id }) =>
      (await access.revokeDevice(id, clock.now())) ?? missing("device", id, "devices list"),
    "inputs.get": ({ inbox }) => fateOf(store, inbox),
  };
}

function notRevoked({ keys }: HttpSettings, id: string): never {
  const name = id.replace(/^settings:/, "");
  if (!Object.hasOwn(keys, name)) return missing("key", id, "keys list");
  const next = `Remove http.keys.${name} there, and start \`talaria serve\` again.`;
  throw new Refusal("usage", `The key ${name} is one of the settings, in config.yaml.`, next);
}

/** What became of a message. */
async function fateOf(
  { inbox, turns, approvals }: Pick<Joined["store"], "inbox" | "turns" | "approvals">,
  id: InboxId,
): Promise<InputFate> {
  const input = await inbox.get(id);
  if (input === undefined)
    throw new Refusal("not_found", `There is no message ${id}.`, "Its session has all that was said.");
  const { session, turn } = input;
  if (turn === undefined) return { ...input, asks: [] };
  const pending = { limit: 20, session, state: "pending" } as const;
  const [ran, asked] = await Promise.all([turns.get(turn), approvals.list(pending)]);
  const asks = asked.filter((each) => each.turn === turn);
  return { ...input, ...(ran === undefined ? {} : { ran }), asks };
}

/** What a door over HTTP needs. */
export const httpBehind = ({ store, loaded }: Pick<Joined, "store" | "loaded">): HttpBehind => {
  const { http, auxiliary, model } = loaded.config;
  const { provider = "auto", model: small } = auxiliary.title_generation ?? {};
  const isOfMain = provider === "auto" || provider === model.provider;
  return {
    settings: http,
    access: store.access,
    secret: (name) => longEnough(loaded.secret(name)),
    ...(isOfMain && small !== undefined ? { smallModel: small } : {}),
  };
};

/** A browser that the owner lets in is the owner's. */
const ownersScopes: readonly Scope[] = scopes;

const newAccessId = (kind: "key" | "dev"): string =>
  `${kind}_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`;

/** Those of the settings are changed there. */
const settingsKeys = ({ keys }: HttpSettings): readonly StoredKey[] =>
  Object.entries(keys).map(([name, { scopes: given }]) => ({
    id: `settings:${name}`,
    name,
    scopes: given,
    createdAt: 0,
  }));

const originOf = ({ host, hosts, tls, proxy }: HttpSettings, port: number): string => {
  const [named] = hosts;
  if (proxy && named !== undefined) return `https://${named}`;
  const scheme = tls === undefined ? "http" : "https";
  if (named !== undefined) return `${scheme}://${named}`;
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`;
};

function missing(what: string, id: string, command: string): never {
  throw new Refusal("not_found", `There is no ${what} "${id}" that works.`, `See \`talaria ${command}\`.`);
}
