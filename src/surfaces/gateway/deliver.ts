import { type Adapter, type Part, type SendResult, addressOf } from "../../core/gateway/chat.ts";
import type { BotDuty, GatewayBehind } from "../../core/gateway/gateway.ts";
import type { OutboxBody, OutboxTable, StoredOutbox } from "../../core/gateway/tables.ts";
import { sentence } from "../../core/plain-text.ts";
import type { Clock } from "../../lib/clock.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";
import { asTyped } from "./command-line.ts";

export type DeliveryParts = {
  readonly adapter: Pick<Adapter, "surface" | "render" | "renderQuestion" | "send" | "find">;
  readonly account: string;
  readonly outbox: OutboxTable;
  readonly lease: BotDuty["lease"];
  readonly alert: GatewayBehind["alert"];
  readonly clock: Clock;
  readonly log: (line: string) => void;
};

/** Brings what is in the outbox to the platform. */
export type Delivery = {
  /** Something may be there. */
  wake(): void;
  /** Resolves when nothing is being sent. */
  settled(): Promise<void>;
  stop(): void;
};

const [firstPauseMs, longestPauseMs] = [1000, 60_000];
/** What could not be sent for so long is not wanted any more. */
const giveUpMs = 24 * 60 * 60_000;

/**
 * Each chat is a lane: one message is under way at a time, in order, and when the platform wants a pause it holds for the whole chat.
 * Every step is in the outbox before it is taken, so that a crash leaves at most one message of which nobody knows.
 */
export function delivery(parts: DeliveryParts): Delivery {
  const { outbox, adapter, account, log, clock } = parts;
  const over = new AbortController();
  const chats = new Map<string, Lane>();
  let reading: Promise<void> | undefined;
  let isDirty = false;

  const begin = (chat: string): void => {
    const known = chats.get(chat);
    if (known !== undefined) return known.look();
    const lane = newLane(over.signal);
    chats.set(chat, lane);
    lane.done = emptyChat(parts, chat, lane, over.signal)
      .catch((error: unknown) => {
        if (over.signal.aborted) return;
        log(`deliveries to ${adapter.surface} ${chat}: ${String(error)}`);
        clock.sleep(longestPauseMs, over.signal, { hold: true }).then(wake, () => {});
      })
      .finally(() => {
        chats.delete(chat);
        if (lane.isDirty) wake();
      });
  };
  const read = async (): Promise<void> => {
    while (isDirty && !over.signal.aborted) {
      isDirty = false;
      const rows = await outbox.due(adapter.surface, account);
      for (const chat of new Set(rows.map((row) => row.chat))) begin(chat);
    }
  };
  const wake = (): void => {
    isDirty = true;
    reading ??= read()
      .catch((error: unknown) => log(`the outbox could not be read: ${String(error)}`))
      .finally(() => (reading = undefined));
  };
  return {
    wake: () => void (over.signal.aborted || wake()),
    async settled() {
      for (;;) {
        if (reading === undefined && chats.size === 0) return;
        await Promise.all([reading, ...[...chats.values()].map(({ done }) => done)]);
      }
    },
    stop: () => over.abort(noLongerNeeded),
  };
}

/** `isDirty`: something has come since it last looked. */
type Lane = {
  isDirty: boolean;
  done: Promise<void>;
  look(): void;
  /** Ends early when there is something to look at. */
  sleep(clock: Clock, ms: number): Promise<void>;
};

function newLane(over: AbortSignal): Lane {
  let alarm: AbortController | undefined;
  const lane: Lane = {
    isDirty: false,
    done: Promise.resolve(),
    look() {
      lane.isDirty = true;
      alarm?.abort(noLongerNeeded);
    },
    async sleep(clock, ms) {
      if (lane.isDirty) return;
      alarm = new AbortController();
      await clock.sleep(ms, AbortSignal.any([over, alarm.signal]), { hold: true }).catch(() => {});
    },
  };
  return lane;
}

/** Sends what is due in a chat until nothing is. */
async function emptyChat(parts: DeliveryParts, chat: string, lane: Lane, signal: AbortSignal): Promise<void> {
  const { outbox, adapter, account, clock } = parts;
  let failures = 0;
  while (!signal.aborted) {
    lane.isDirty = false;
    const rows = (await outbox.due(adapter.surface, account)).filter((row) => row.chat === chat);
    if (rows.length === 0) return;
    const now = clock.now();
    const held = rows.find(({ state, until = 0 }) => state === "refused" && until > now);
    const row = rows.find(({ state, until = 0 }) => state !== "pending" || until <= now);
    if (held !== undefined || row === undefined) {
      await lane.sleep(clock, Math.max(1, (held?.until ?? nextOf(rows)) - now));
      continue;
    }
    const went = await step(parts, row, signal);
    failures = went === "later" ? failures + 1 : 0;
    if (went === "later") await clock.sleep(pause(failures), signal, { hold: true });
  }
}

const nextOf = (rows: readonly StoredOutbox[]): number => Math.min(...rows.map(({ until = 0 }) => until));

const pause = (failures: number): number => Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1));

async function step(parts: DeliveryParts, row: StoredOutbox, signal: AbortSignal): Promise<"on" | "later"> {
  const { outbox, adapter, clock, lease } = parts;
  if (row.body.kind === "answer") {
    await outbox.cut(row.id, adapter.render(row.body.markdown));
    return "on";
  }
  const sending = {
    part: partOf(adapter, row.body),
    nonce: nonceOf(row),
    ...(row.replyTo === undefined ? {} : { replyTo: row.replyTo }),
  };
  const to = addressOf({ surface: adapter.surface, account: row.account, chat: row.chat });
  // Left by a crash: the platform was asked, and nobody heard the answer.
  if (row.state === "sending")
    return settleUnknown(parts, row, sending, "Talaria was restarted while it was sent", signal);
  const isOurs = await outbox.move(row.id, ["pending", "refused"], "sending", { at: clock.now() }, lease);
  if (!isOurs) return "on";
  const result = await adapter.send(to, sending, signal);
  return settle(parts, row, sending, result, signal);
}

/** Of a file, in one message with its words: what is too long of them is cut with a mark. */
function partOf(
  adapter: Pick<Adapter, "renderQuestion">,
  body: Exclude<OutboxBody, { kind: "answer" }>,
): Part {
  if (body.kind === "part") return body.part as unknown as Part;
  const { caption = "", file } = body;
  return caption === ""
    ? { body: "", plain: "", file }
    : { ...adapter.renderQuestion(caption, undefined).part, file };
}

type Sendable = Parameters<Adapter["send"]>[1];

async function settle(
  parts: DeliveryParts,
  row: StoredOutbox,
  sending: Sendable,
  result: SendResult,
  signal: AbortSignal,
): Promise<"on" | "later"> {
  const { outbox, clock } = parts;
  const at = clock.now();
  if ("sent" in result) {
    await outbox.move(row.id, ["sending"], "sent", { at, platformId: result.sent });
    return "on";
  }
  if ("heldMs" in result) {
    const until = at + result.heldMs;
    await outbox.move(row.id, ["sending"], "refused", { at, until, why: "the platform asked for a pause" });
    return "on";
  }
  if ("notSent" in result) {
    const isLate = at - row.at > giveUpMs;
    if (isLate) return bury(parts, row, `it could not be sent for a day: ${result.notSent}`);
    await outbox.move(row.id, ["sending"], "pending", { at, why: result.notSent });
    return "later";
  }
  if ("refused" in result) return bury(parts, row, result.refused);
  return settleUnknown(parts, row, sending, result.unknown, signal);
}

async function bury(parts: DeliveryParts, row: StoredOutbox, why: string): Promise<"on"> {
  const { outbox, clock, alert, adapter } = parts;
  await outbox.move(row.id, ["sending"], "dead", { at: clock.now(), why });
  await alert(
    `outbox ${row.id}`,
    `A message to ${adapter.surface}:${row.chat} was not delivered: ${sentence(why)} \`talaria why ${row.id}\` says more; \`talaria gateway resend ${row.id}\` tries again.`,
  );
  return "on";
}

/** The platform is asked, where it can say; otherwise the person hears of it and decides. It is never sent twice by itself. */
async function settleUnknown(
  parts: DeliveryParts,
  row: StoredOutbox,
  sending: Sendable,
  why: string,
  signal: AbortSignal,
): Promise<"on" | "later"> {
  const { outbox, adapter, clock } = parts;
  const to = addressOf({ surface: adapter.surface, account: row.account, chat: row.chat });
  const found = await adapter.find?.(to, sending, signal);
  const at = clock.now();
  if (found !== undefined && "sent" in found) {
    await outbox.move(row.id, ["sending"], "sent", { at, platformId: found.sent });
    return "on";
  }
  if (found !== undefined) {
    await outbox.move(row.id, ["sending"], "pending", { at, why });
    return "later";
  }
  // That something may not have arrived must be heard, and does no harm if it is heard twice.
  if (isNotice(row) && row.attempts < mostNotices) {
    await outbox.move(row.id, ["sending"], "pending", { at, why });
    return "later";
  }
  if (await outbox.move(row.id, ["sending"], "ambiguous", { at, why }))
    await tellAmbiguous(parts, { ...row, why });
  return "on";
}

const mostNotices = 3;
const isNotice = ({ about }: StoredOutbox): boolean => about?.startsWith("obx_") === true;

/** Once for each message, and never of itself. */
async function tellAmbiguous({ outbox, adapter, clock }: DeliveryParts, row: StoredOutbox): Promise<void> {
  if (isNotice(row) || (await outbox.about(row.id)).length > 0) return;
  const text = `I can't tell whether the message before this one arrived: ${sentence(row.why ?? "the connection broke")} \`/resend ${row.id}\` sends it again.`;
  const { surface, account, chat } = row;
  const [part] = adapter.render(asTyped(adapter.surface, text));
  if (part === undefined) return;
  await outbox.add(
    { surface, account, chat, about: row.id, body: { kind: "part", part: part as never } },
    clock.now(),
  );
}

/** Those of which a crash has kept people from hearing. */
export async function tellAllAmbiguous(parts: DeliveryParts): Promise<void> {
  for (const row of await parts.outbox.inState("ambiguous", parts.adapter.surface))
    if (row.account === parts.account) await tellAmbiguous(parts, row);
}

/** At most 25 characters, and the same each time the same message is sent. */
const nonceOf = ({ id }: StoredOutbox): string => id.slice(0, 25);
