import type { Handlers } from "../../core/calls.ts";
import type { GatewayCalls } from "../../core/gateway/gateway-calls.ts";
import { type Platform, isPlatform, platforms } from "../../core/gateway/chat.ts";
import type { StoredOutbox, StoredPerson } from "../../core/gateway/tables.ts";
import { Refusal } from "../../core/host.ts";
import { type Caller, isSamePerson } from "../../core/principal.ts";
import { hashOfCode } from "../../lib/secret.ts";
import type { HostGateway } from "../gateway/behind.ts";
import { gatewayStatus } from "../gateway/status.ts";
import { testBots } from "../gateway/test-bots.ts";
import type { Joined } from "./joined.ts";

/** Chat apps, and who is let in there. */
export function gatewayHandlers(joined: Joined, gateway: HostGateway): Handlers<keyof GatewayCalls> {
  const { store, clock } = joined;
  const { people, outbox } = store;
  return {
    "gateway.status": () => gatewayStatus(joined, gateway.live()),
    "gateway.people": async () => ({
      people: await people.list(),
      pairings: await people.pairings(clock.now()),
    }),
    async "gateway.pair"({ code, role }) {
      const hash = hashOfCode(code);
      // A wrong one counts as such, whatever was left unsaid beside it.
      const isUnsaid = role === undefined && !(await hasOwner(joined));
      if (isUnsaid && (await people.isWaiting(hash, clock.now())))
        throw saysRole(`talaria gateway pair ${code}`);
      const found = await people.confirm(hash, role ?? "member", clock.now());
      if (typeof found === "string") throw notPaired(found);
      if (found.direct !== undefined)
        await outbox.add(
          { ...found.direct, body: { kind: "answer", markdown: welcome(found) } },
          clock.now(),
        );
      return found;
    },
    async "gateway.allow"({ who, role = "member", name }) {
      const { surface, id } = namedPerson(who);
      if (!ids[surface].pattern.test(id)) throw noSuchId(surface, id);
      if (role === "owner" && isGroup(surface, id)) throw ownerGroup(who);
      return people.allow({ surface, id, role, ...(name === undefined ? {} : { name }) }, clock.now());
    },
    async "gateway.revoke"({ who }) {
      const { surface, id } = namedPerson(who);
      const revoked = await people.revoke(surface, id, clock.now());
      if (revoked !== undefined) return revoked;
      throw new Refusal("not_found", `${who} is not let in.`, "`talaria gateway people` lists who is.");
    },
    "gateway.test": ({ surface }, _caller, signal) =>
      testBots(joined, gateway.live(), surface === undefined ? undefined : [surface], signal),
    "gateway.resend": async ({ id }, caller) => {
      const row = await owned(joined, id, caller);
      const again = await sentAgain(joined, row);
      joined.storeNews.outboxChanged();
      return again;
    },
  };
}

const hasOwner = async ({ store }: Pick<Joined, "store">): Promise<boolean> =>
  (await store.people.list()).some(({ role, revokedAt }) => role === "owner" && revokedAt === undefined);

const saysRole = (command: string): Refusal =>
  new Refusal(
    "usage",
    "Nobody is the owner in a chat yet, so say who this is. The code still works.",
    `You yourself: ${command} --role owner. Somebody else: ${command} --role member.`,
  );

const notPaired = (why: "wrong" | "locked"): Refusal =>
  why === "locked"
    ? new Refusal(
        "refused",
        "Five wrong codes were tried, so none is taken for an hour.",
        "`talaria gateway allow SURFACE:ID` lets somebody in without a code; /whoami in the chat says who they are.",
      )
    : new Refusal(
        "not_found",
        "Nobody waits with this code: it is wrong, was used, or is older than an hour.",
        "`talaria gateway people` lists who waits. Writing to the bot again gives a new code.",
      );

const welcome = ({ role }: StoredPerson): string =>
  `You're in${role === "owner" ? ", as the owner" : role === "guest" ? ", as a guest" : ""}. Just write to me; /help lists what else there is.`;

function namedPerson(who: string): { readonly surface: Platform; readonly id: string } {
  const [, surface = "", mark = "", id = ""] = /^([a-z]+):(@?)([-A-Za-z0-9_.]+)$/.exec(who.trim()) ?? [];
  if (isPlatform(surface) && mark === "") return { surface, id };
  if (isPlatform(surface))
    throw new Refusal(
      "usage",
      `@${id} is a name, and people are let in by their id: a name can be given to somebody else.`,
      `/whoami in the chat says the id. It looks like ${ids[surface].examples}.`,
    );
  throw new Refusal(
    "usage",
    `"${who}" names nobody in a chat.`,
    `Say it as ${platforms.map((platform) => `${platform}:ID`).join(", ")}; /whoami in the chat says who somebody is.`,
  );
}

/** What ids look like. Others are nobody's, and whoever is meant would wait for ever. */
const ids: Readonly<Record<Platform, { readonly pattern: RegExp; readonly examples: string }>> = {
  telegram: { pattern: /^-?[1-9]\d*$/, examples: "telegram:12345, that of a group like telegram:-10012345" },
  slack: { pattern: /^[UWCGD][A-Z0-9]+$/, examples: "slack:U0123ABC, that of a channel like slack:C0123ABC" },
  discord: { pattern: /^\d{17,20}$/, examples: "discord:123456789012345678 (17 to 20 digits)" },
};

const noSuchId = (surface: Platform, id: string): Refusal =>
  new Refusal(
    "usage",
    `${surface}:${id} can be nobody: ${id} is no id there.`,
    `An id looks like ${ids[surface].examples}; /whoami in the chat says it.`,
  );

/** As far as an id tells: Discord's are the same for people and channels. */
const isGroup = (surface: Platform, id: string): boolean =>
  (surface === "telegram" && id.startsWith("-")) || (surface === "slack" && /^[CG]/.test(id));

const ownerGroup = (who: string): Refusal =>
  new Refusal(
    "usage",
    `${who} is a group, and a group cannot be the owner: everybody in it could do what you can.`,
    "Let it in as members or guests, and yourself as the owner.",
  );

/** The owner's word counts for all of it; others send again what was an answer to them. */
async function owned({ store }: Joined, id: string, caller: Caller): Promise<StoredOutbox> {
  const [row, ...more] = id.startsWith("obx_") ? await store.outbox.find(id) : [];
  const nothing = new Refusal(
    "not_found",
    `There is no message ${id.slice(0, 40)} of ours.`,
    "`talaria gateway status` lists what did not arrive.",
  );
  if (row === undefined) throw nothing;
  if (caller.role !== "owner") {
    const turn = row.turn === undefined ? undefined : await store.turns.get(row.turn);
    const input = turn && (await store.inbox.get(turn.inbox));
    if (input === undefined || !isSamePerson(input.from, caller)) throw nothing;
  }
  if (more.length > 0) throw new Refusal("usage", `Several messages begin with ${id}.`, "Write more of it.");
  return row;
}

/** What may have arrived keeps its place; what is dead stays so, and its words go out once more. */
async function sentAgain({ store, clock }: Joined, row: StoredOutbox): Promise<StoredOutbox> {
  const at = clock.now();
  if (row.state === "ambiguous" && (await store.outbox.move(row.id, ["ambiguous"], "pending", { at })))
    return { ...row, state: "pending" };
  if (row.state !== "dead")
    throw new Refusal(
      "usage",
      row.state === "sent" ? "It arrived." : "It is on its way.",
      `\`talaria why ${row.id}\` says how it stands.`,
    );
  if (row.body.kind === "part" && row.body.part === null)
    throw new Refusal("not_found", "Its words are not kept any more.", "Ask for it again.");
  const { surface, account, chat, body, turn, replyTo, about } = row;
  return store.outbox.add(
    {
      surface,
      account,
      chat,
      body,
      ...(turn === undefined ? {} : { turn }),
      ...(replyTo === undefined ? {} : { replyTo }),
      ...(about === undefined ? {} : { about }),
    },
    at,
  );
}
