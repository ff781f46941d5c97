import type { Context } from "hono";
import type { AccessTable, OwnName } from "../../../core/access.ts";
import type { Client } from "../../../core/calls.ts";
import { Refusal } from "../../../core/host.ts";
import { type InboxId, type SessionId, asId, isSessionId, newId } from "../../../core/ids.ts";
import type { InputPart } from "../../../core/messages.ts";
import type { SessionMark, StartedSession } from "../../../core/session.ts";
import { jsonDigest } from "../../../lib/digest.ts";
import { HttpFailure } from "../failures.ts";
import type { Behind, Env } from "../visit.ts";
import { wrong } from "./fields.ts";
import { type Said, preamble, wordsOf } from "./said.ts";

/** Where a message goes, and what it is told besides. */
export type Conversation = {
  readonly session: SessionId | StartedSession;
  readonly id: SessionId;
  readonly input: readonly InputPart[];
  /** Remembers that this was said, once it is durable. */
  kept(inbox: InboxId): Promise<void>;
};

/** How a client names a conversation: by our id, by a name of its own, by its last answer; or not at all. */
export type Naming = {
  readonly conversation?: string;
  readonly previous?: string;
  /** It sends everything that was said each time, and is right about it. */
  readonly wholeHistory?: boolean;
  readonly mark?: SessionMark;
};

/** By explicit names alone: what nobody named is a session of its own. */
export async function conversationOf(
  c: Context<Env>,
  { http, clock }: Behind,
  said: Said,
  naming: Naming,
): Promise<Conversation> {
  const { access } = http;
  const account = c.get("visitor").id;
  const name = (kind: OwnName["kind"], of: string): OwnName => ({ account, kind, name: of });
  const found = await named(c, access, name, naming);
  const users = said.earlier.flatMap(({ role, text }) => (role === "user" ? [text] : []));
  const isOther =
    found.session !== undefined &&
    !found.goesOn &&
    (found.strict || users.length > 0) &&
    (await access.named(name("said", found.session))) !== jsonDigest(users);
  // What the client remembers is not what was said here: it goes on in a session of its own, and nothing is mixed.
  const known = isOther ? undefined : found.session;
  const id = known ?? newId("ses", clock.now());
  const told = jsonDigest([said.system]);
  const tells =
    said.system !== "" && (known === undefined || (await access.named(name("told", known))) !== told);
  const input = [
    ...preamble({ ...said, system: tells ? said.system : "" }, known === undefined || found.goesOn),
    ...said.now,
  ];
  const { mark = found.chat === undefined && known === undefined ? "ephemeral" : undefined } = naming;
  return {
    id,
    session: known ?? { id, ...(mark === undefined ? {} : { mark }) },
    input,
    async kept(inbox) {
      if (found.chat !== undefined && naming.mark !== "hidden")
        await access.rename(name("chat", found.chat), id);
      await access.rename(name("said", id), jsonDigest([...users, wordsOf(said.now)]));
      await access.rename(name("last", id), inbox);
      if (tells) await access.rename(name("told", id), told);
    },
  };
}

type Found = {
  readonly session?: SessionId;
  readonly chat?: string;
  readonly strict: boolean;
  /** What is sent is all new: it comes behind an answer. */
  readonly goesOn: boolean;
};

async function named(
  c: Context<Env>,
  access: Pick<AccessTable, "named" | "claim">,
  name: (kind: OwnName["kind"], of: string) => OwnName,
  { conversation, previous, mark, wholeHistory = false }: Naming,
): Promise<Found> {
  const plain = { strict: false, goesOn: false };
  if (mark === "hidden") return plain;
  const own = c.req.header("X-Talaria-Session");
  const openWebUi = c.req.header("X-OpenWebUI-Chat-Id");
  const names = new Set([own, openWebUi, conversation].filter((each) => each !== undefined && each !== ""));
  if (names.size > 1) throw wrong("conversation", "A conversation is named in one way, not in two.");
  const [chat] = names;
  if (previous !== undefined) {
    if (chat !== undefined)
      throw wrong("previous_response_id", "A conversation is named in one way, not in two.");
    const session = await behindAnswer(c.get("client"), previous, {
      isLast: async (of, inbox) => (await access.named(name("last", of))) === inbox,
      isFree: async (inbox) => {
        const ours = crypto.randomUUID();
        return (await access.claim(name("next", inbox), ours)) === ours;
      },
    });
    return { session, strict: false, goesOn: true };
  }
  if (chat === undefined) return plain;
  if (isSessionId(chat)) {
    await c.get("client").call("sessions.get", { session: chat });
    return { ...plain, session: chat };
  }
  const session = await access.named(name("chat", chat));
  const strict = wholeHistory && own === undefined && openWebUi !== undefined;
  return { ...plain, chat, strict, ...(session === undefined ? {} : { session: asId<"ses">(session) }) };
}

/** Behind the last answer in its own session, once; behind any other, and for whoever comes second, in a copy that ends with it. */
async function behindAnswer(
  client: Client,
  answer: string,
  known: {
    isLast(session: SessionId, inbox: InboxId): Promise<boolean>;
    isFree(inbox: InboxId): Promise<boolean>;
  },
): Promise<SessionId> {
  const inbox = inboxOf(answer, "resp_");
  const { session, ran } = await client.call("inputs.get", { inbox }).catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
    throw new HttpFailure(
      404,
      "previous_response_not_found",
      `There is no answer ${answer.slice(0, 60)}.`,
      "Send the conversation itself.",
      { param: "previous_response_id" },
    );
  });
  const isLast =
    (await known.isLast(session, inbox)) &&
    (ran === undefined || (await client.call("sessions.turns", { session, after: ran.id })).length === 0);
  if (isLast && (await known.isFree(inbox))) return session;
  if (ran !== undefined && ran.state !== "open")
    return (await client.call("sessions.fork", { session, upTo: ran.id })).id;
  throw new HttpFailure(
    409,
    "previous_response_not_ended",
    "Another message goes on from that answer already, and it is not complete yet.",
    "Wait for its end: then a copy of the conversation can go on from it.",
    { param: "previous_response_id" },
  );
}

/** The message that an id of the API stands for. */
export const inboxOf = (id: string, prefix: string): InboxId =>
  asId<"inb">(id.startsWith(prefix) ? `inb_${id.slice(prefix.length)}` : "inb_none");

export const idFor = (prefix: string, inbox: InboxId): string => `${prefix}${inbox.slice("inb_".length)}`;
