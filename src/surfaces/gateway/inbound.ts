import type { ChatEvent, ChatMessage, ChatPress } from "../../core/gateway/chat.ts";
import type { ReceivedMessage } from "../../core/gateway/tables.ts";
import { type Lanes, lanes } from "../../lib/lanes.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";
import { pairingText, roleOf } from "./access.ts";
import { type Sender, admit } from "./admit.ts";
import { type BotParts, say } from "./bot-parts.ts";
import { commandIn, isForAnotherBot, isStop } from "./command-line.ts";
import { runCommand } from "./commands.ts";
import { type Gather, gather } from "./gather.ts";
import { answersInquiry } from "./inquiry-replies.ts";
import type { LiveTurns } from "./live-turns.ts";
import { placeName, placeOf, principalFor } from "./place.ts";
import { pressed } from "./presses.ts";

/** What people say to a bot, from the platform to the inbox. */
export type Inbound = {
  /** Resolves once it is durable. */
  take(event: ChatEvent): Promise<void>;
  /** Goes on with what a crash or a stop has left. */
  resume(): Promise<void>;
  settled(): Promise<void>;
  stop(): void;
};

type Parts = BotParts & { readonly turns: LiveTurns };
type Desk = Parts & {
  readonly gather: Gather;
  readonly lanes: Lanes<string>;
  readonly over: AbortSignal;
  readonly turnedAway: Set<string>;
};

/** After a store or a host that could not take it. */
const againMs = 5000;

export function inbound(parts: Parts): Inbound {
  const { gateway, clock, log } = parts;
  const over = new AbortController();
  const desk: Desk = {
    ...parts,
    lanes: lanes(),
    over: over.signal,
    turnedAway: new Set(),
    gather: gather(clock, (rows) => void flush(desk, rows)),
  };
  return {
    async take(event) {
      if (event.kind === "other") return;
      if (event.kind === "press") return void background(desk, () => onPress(desk, event));
      const { row, fresh } = await gateway.received.add(event, clock.now());
      if (fresh) background(desk, () => handle(desk, row));
    },
    async resume() {
      const open = await gateway.received.open(parts.adapter.surface, parts.account);
      const sealed = open.filter(({ state }) => state === "sealed");
      for (const rows of Map.groupBy(sealed, ({ message, group }) =>
        JSON.stringify([message.address, group]),
      ).values())
        void flush(desk, rows);
      for (const row of open) if (row.state === "received") background(desk, () => handle(desk, row));
      if (open.length > 0) log(`${open.length} messages were not dealt with before the last stop`);
    },
    settled: () => desk.lanes.drain(),
    stop() {
      over.abort(noLongerNeeded);
      desk.gather.stop();
    },
  };
}

function background({ log, over }: Desk, act: () => Promise<void>): void {
  act().catch(
    (error: unknown) => void (over.aborted || log(`a message could not be dealt with: ${String(error)}`)),
  );
}

/** Stop goes first, whatever the chat is doing; everything else takes its turn. */
async function handle(desk: Desk, row: ReceivedMessage): Promise<void> {
  const { message } = row;
  const sender = await senderOf(desk, message);
  if (sender === undefined) return refuse(desk, row);
  if (message.room === "group" && !message.isForBot && desk.gateway.settings.mention)
    return done(desk, row, "ignored", "it does not name the bot");
  if (isForAnotherBot(message.text, desk.name)) return leaveToOther(desk, row, sender);
  const line = commandIn(message.text);
  if (line !== undefined && isStop(line)) return stopNow(desk, row, line, sender);
  await desk.lanes.run(lane(sender), async () => {
    await heardDirectly(desk, message, sender);
    if (line !== undefined) return command(desk, row, line, sender);
    if (await answersInquiry(desk, desk.turns.forms, row, sender.from)) return done(desk, row, "answer");
    desk.gather.add(lane(sender), row);
  });
}

async function senderOf({ gateway }: Desk, message: ChatMessage | ChatPress): Promise<Sender | undefined> {
  const role = await roleOf(gateway.people, message);
  if (role === undefined) return undefined;
  const { room } = message;
  const roomName =
    "roomName" in message && message.roomName !== undefined ? { roomName: message.roomName } : {};
  return {
    chat: { ...placeOf(message, role, gateway.settings.groups), room, ...roomName },
    from: principalFor(message, role),
  };
}

/** Messages of several people in one shared chat are not put together. */
const lane = ({ chat, from }: Sender): string => `${placeName(chat)} ${from.id}`;

/** Nobody is let in by writing. Who writes directly hears how to be; in a group, and for programs, there is silence. */
async function refuse(desk: Desk, row: ReceivedMessage): Promise<void> {
  const { message } = row;
  if (!message.from.isBot && message.room === "direct") {
    const text = await pairingText(desk.gateway.people, message, desk.clock, desk.turnedAway);
    const { surface, account } = message.address;
    if (text !== undefined) await say(desk, { surface, account, chat: message.address.chat }, text);
  }
  await done(desk, row, message.from.isBot ? "ignored" : "stranger");
}

/** Silence, as the other one is to answer; but where there is no other one, somebody waits. */
async function leaveToOther(desk: Desk, row: ReceivedMessage, { chat }: Sender): Promise<void> {
  const { messageId, room } = row.message;
  if (room === "direct")
    await say(desk, chat, "That command names another bot. Send it without the name if it is for me.", {
      replyTo: messageId,
    });
  await done(desk, row, "ignored", "it is a command for another bot");
}

async function heardDirectly(
  { gateway }: Desk,
  { address, room, from }: ChatMessage,
  { chat }: Sender,
): Promise<void> {
  if (room !== "direct") return;
  const { surface, account } = address;
  await gateway.people.heardIn(surface, from.id, from.name, { surface, account, chat: chat.chat });
}

async function stopNow(desk: Desk, row: ReceivedMessage, line: string, sender: Sender): Promise<void> {
  await done(desk, row, "command");
  // What waits first, then what runs.
  const waiting = desk.gather.take(lane(sender)).map(({ id }) => id);
  if (waiting.length > 0)
    await desk.gateway.received.done(waiting, "ignored", { note: "stopped before it was begun" });
  await runCommand(desk, line, row, sender);
}

/** Sealed first: a crash in the middle is told, and it is not run a second time. */
async function command(desk: Desk, row: ReceivedMessage, line: string, sender: Sender): Promise<void> {
  // What was said before it is meant for the session as it was.
  await goOn(desk, desk.gather.take(lane(sender)), sender);
  if ((await desk.gateway.received.seal([row.id])).length === 0) return;
  await runCommand(desk, line, row, sender);
  await done(desk, row, "command");
}

const done = async (
  { gateway }: Desk,
  row: ReceivedMessage,
  fate: "command" | "answer" | "ignored" | "stranger",
  note?: string,
): Promise<void> => void (await gateway.received.done([row.id], fate, note === undefined ? {} : { note }));

/** Gathered messages go on as one, or go on where they were when the process ended. */
async function flush(desk: Desk, rows: readonly ReceivedMessage[]): Promise<void> {
  const [first] = rows;
  if (first === undefined || desk.over.aborted) return;
  const sender = await senderOf(desk, first.message);
  if (sender === undefined) {
    await desk.gateway.received.done(
      rows.map(({ id }) => id),
      "stranger",
    );
    return;
  }
  await desk.lanes
    .run(lane(sender), () => goOn(desk, rows, sender))
    .catch(async (error: unknown) => {
      desk.log(`a message waits, and is tried again: ${String(error)}`);
      await desk.clock.sleep(againMs, desk.over).then(
        () => flush(desk, rows),
        () => {}, // the next start does it
      );
    });
}

async function goOn(desk: Desk, rows: readonly ReceivedMessage[], sender: Sender): Promise<void> {
  const { gateway, over } = desk;
  const fresh = rows.filter(({ state }) => state === "received").map(({ id }) => id);
  const sealed = fresh.length === 0 ? rows : await gateway.received.seal(fresh);
  const [first] = sealed;
  if (first === undefined) return;
  const line = commandIn(first.message.text);
  if (line === undefined) return admit(desk, sealed, sender, over);
  const replyTo = first.message.messageId;
  await say(
    desk,
    sender.chat,
    `I was restarted while ${line.split(/\s/)[0] ?? line} ran. See whether it took effect, and send it again if not.`,
    { replyTo },
  );
  await done(desk, first, "command", "cut off by a restart");
}

/** A press on a list of ours is a command that they have typed; it is theirs, whoever was shown the list. */
async function onPress(desk: Desk, press: ChatPress): Promise<void> {
  const run = async (line: string): Promise<void> => {
    const sender = await senderOf(desk, press);
    if (sender === undefined) return;
    const { address, messageId, at, from, room } = press;
    const message: ChatMessage = {
      kind: "message",
      address,
      messageId,
      order: messageId,
      at,
      from,
      room,
      text: line,
      isForBot: true,
      files: [],
    };
    await desk.lanes.run(lane(sender), () => runCommand(desk, line, { message }, sender));
  };
  await pressed(desk, press, desk.turns.forms, run, desk.over);
}
