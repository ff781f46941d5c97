import { chatName } from "../../core/gateway/chat.ts";
import type { ReceivedMessage, StoredOutbox } from "../../core/gateway/tables.ts";
import { oneLine, short } from "../../core/plain-text.ts";
import type { Principal } from "../../core/principal.ts";
import type { Explanation } from "../../core/work/work.ts";
import { localMinute } from "../../lib/time-zone.ts";
import type { Store } from "../../store/store.ts";
import { type MessageTrail, messageTrail } from "./message-trail.ts";

type Deps = { readonly store: Store; readonly zone: string };

/** What became of a message of a chat, from when it came until the platform had the answer. */
export async function whyMessage(
  { store, zone }: Deps,
  id: string,
  by?: Pick<Principal, "surface" | "id">,
): Promise<Explanation | undefined> {
  const found = await messageTrail(store, id, by);
  if (found === undefined) return undefined;
  const [first] = found.received;
  const of = first === undefined ? "a message to a chat" : `a message of ${first.message.from.name}`;
  const where =
    first === undefined
      ? found.parts[0]
      : { ...first.message.address, chat: chatName(first.message.address) };
  return {
    id,
    what: where === undefined ? of : `${of}, ${where.surface}:${where.chat}`,
    ...verdictOn(found),
    trail: [
      ...found.received.map((row) => receivedLine(zone, row)),
      ...(found.input === undefined
        ? []
        : [`admitted  ${found.input.id}: ${found.input.state}, in ${found.input.session}`]),
      ...(found.turn === undefined ? [] : [`turn      ${found.turn.id}: ${found.turn.state}`]),
      ...found.parts.map((row) => partLine(zone, row)),
      ...(found.others.length === 0 ? [] : [`others    with the same name: ${found.others.join(", ")}`]),
    ],
  };
}

function receivedLine(zone: string, { id, message, receivedAt, state, fate, note }: ReceivedMessage): string {
  const became = [state, fate, note].filter((word) => word !== undefined).join(", ");
  const words = message.text === "" ? "" : `: “${short(oneLine(message.text), 40)}”`;
  return `received  ${id}, ${message.messageId} at ${localMinute(zone, receivedAt)}, ${became}${words}`;
}

function partLine(
  zone: string,
  { id, part, state, platformId, attempts, why, settledAt, until }: StoredOutbox,
): string {
  const facts = [
    platformId === undefined ? [] : `as ${platformId}`,
    settledAt === undefined ? [] : `at ${localMinute(zone, settledAt)}`,
    until === undefined ? [] : `not before ${localMinute(zone, until)}`,
    attempts > 1 ? `after ${attempts} attempts` : [],
    why ?? [],
  ].flat();
  return `part ${part + 1}    ${id}: ${[state, ...facts].join(", ")}`;
}

type Verdict = Pick<Explanation, "state" | "why" | "next">;

/** The furthest it got, and what stops it there. */
function verdictOn({ received, input, turn, parts }: MessageTrail): Verdict {
  const stuck = parts.find(({ state }) => state !== "sent");
  if (stuck !== undefined) return partVerdict(stuck);
  if (parts.length > 0)
    return { state: "sent", why: "the platform has confirmed every part", next: "There is nothing to do." };
  if (turn !== undefined)
    return {
      state: turn.state,
      why: turn.fault?.message ?? turnWords[turn.state],
      next: turn.fault?.next ?? `talaria sessions show ${turn.session}`,
    };
  if (input !== undefined)
    return {
      state: input.state,
      why: input.state === "kept" ? "it was set aside, and is not run by itself" : "its turn has not begun",
      next:
        input.state === "kept"
          ? "`/queue` in the chat sends or drops it."
          : "It runs when what is before it has ended, or when `talaria serve` runs.",
    };
  const [first] = received;
  return first === undefined
    ? { state: "unknown", why: "nothing is known of it", next: "Say it again." }
    : receivedVerdict(first);
}

const turnWords = {
  open: "its turn runs now",
  done: "its turn has ended, and nothing was to be said",
  interrupted: "its turn was stopped, or cut off when Talaria was ended",
  failed: "its turn has failed",
  unconfirmed: "nobody can say how its turn ended",
} as const;

function partVerdict({ id, state, why, until }: StoredOutbox): Verdict {
  const again = `\`talaria gateway resend ${id}\` sends it again`;
  switch (state) {
    case "dead":
      return { state, why: why ?? "it will not be sent", next: again };
    case "ambiguous":
      return { state, why: why ?? "nobody can say whether it arrived", next: `Look at the chat. ${again}` };
    case "refused":
      return { state, why: why ?? "the platform wants no more for now", next: "It is sent by itself." };
    case "sending":
      return { state, why: "it is being sent", next: "Ask again in a moment." };
    case "pending":
    case "sent":
      return {
        state,
        why:
          why ??
          (until === undefined ? "it waits for its turn in the chat" : "it waits until quiet hours are over"),
        next: "`talaria gateway status` says whether the bot is connected.",
      };
  }
}

function receivedVerdict({ message, state, fate, note }: ReceivedMessage): Verdict {
  const { from, address } = message;
  if (state !== "done" || fate === undefined)
    return {
      state,
      why: "it was stored, and has not been taken in yet",
      next: "It is taken in by `talaria serve`; `talaria gateway status` says whether it runs.",
    };
  switch (fate) {
    case "stranger":
      return {
        state: fate,
        why: `${from.name} was not let in`,
        next: `\`talaria gateway allow ${address.surface}:${from.id}\` lets them in.`,
      };
    case "ignored":
      return {
        state: fate,
        why: note ?? "it was not meant for the bot",
        next: "In a group, mention the bot or answer one of its messages.",
      };
    case "command":
      return { state: fate, why: note ?? "it was a command, and was done", next: "There is nothing to do." };
    case "answer":
      return { state: fate, why: "it was the answer to a question", next: "There is nothing to do." };
    case "failed":
      return { state: fate, why: note ?? "it could not be taken in", next: "Send it again." };
    case "admitted":
      return { state, why: note ?? "its session was deleted", next: "Send it again." };
  }
}
