import type { Client } from "../../src/core/calls.ts";
import type { StoredPerson } from "../../src/core/gateway/tables.ts";
import type { Host } from "../../src/core/host.ts";
import type { Caller } from "../../src/core/principal.ts";
import { places } from "./world.ts";

export type Mutant = (host: Host) => Host;

/** Deliberate mistakes in how people are told apart. Each must be noticed. */
export const mutants: Readonly<Record<string, Mutant>> = {
  "whoever presses counts as the owner": (host) =>
    asAnother(host, (caller, name) => (name === "approvals.answer" ? { ...caller, role: "owner" } : caller)),
  "a command is run as if the owner had typed it": (host) =>
    asAnother(host, (caller, name) => (name === "chat.command" ? { ...caller, role: "owner" } : caller)),
  "whoever was put out or never let in is the owner": (host) => withRole(host, (person) => person ?? "owner"),
  "the owner's answers go to somebody else's chat, too": toAnother,
  "a guest counts as the owner": (host) => withRole(host, (role) => (role === "guest" ? "owner" : role)),
};

function asAnother(host: Host, change: (caller: Caller, name: string) => Caller): Host {
  return {
    ...host,
    as: (caller): Client => ({
      call: (name, input, signal) => host.as(change(caller, name)).call(name, input, signal),
    }),
  };
}

function toAnother(host: Host): Host {
  const { outbox } = host.gateway;
  const cut: typeof outbox.cut = async (id, parts) => {
    const rows = await outbox.cut(id, parts);
    const copied = (rows ?? []).filter(({ chat }) => chat === places.direct("owner").chat);
    for (const { surface, account, body } of copied)
      await outbox.add({ surface, account, chat: places.direct("other member").chat, body }, 1);
    return rows;
  };
  return { ...host, gateway: { ...host.gateway, outbox: { ...outbox, cut } } };
}

function withRole(
  host: Host,
  change: (role: StoredPerson["role"] | undefined) => StoredPerson["role"] | undefined,
): Host {
  const { people } = host.gateway;
  return {
    ...host,
    gateway: {
      ...host.gateway,
      people: {
        ...people,
        async get(surface, id) {
          const person = await people.get(surface, id);
          const role = change(person?.revokedAt === undefined ? person?.role : undefined);
          return role === undefined ? person : { surface, id, allowedAt: 1, role };
        },
      },
    },
  };
}
