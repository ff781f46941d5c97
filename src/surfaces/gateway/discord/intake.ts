import type { ChatEvent, ChatMessage, ChatPress } from "../../../core/gateway/chat.ts";
import { fieldsOf } from "../../../core/json.ts";
import type { Clock } from "../../../lib/clock.ts";
import { lanes } from "../../../lib/lanes.ts";
import { ChatLane } from "./chat-lane.ts";
import { pageSize, type History } from "./history.ts";
import { messageOf, type Reading } from "./parse.ts";
import { idAt, later } from "./snowflake.ts";

export type IntakeDeps = {
  readonly clock: Clock;
  readonly log: (line: string) => void;
  readonly history: History;
  readonly reading: () => Reading;
  readonly take: (event: ChatEvent) => Promise<void>;
  readonly signal: AbortSignal;
};

const livelyMs = 60 * 60_000;
const readTries = 3;
/** So many chats are read at a time. */
const readers = 4n;
/** Nobody waits for an answer to what is older. */
const oldestMs = 7 * 24 * 60 * 60_000;

/** Hands over what comes in: the messages of each chat one after the other, each again and again until it is taken. */
export class Intake {
  readonly #deps: IntakeDeps;
  readonly #chats = new Map<string, ChatLane>();
  readonly #presses = lanes<string>();
  readonly #readers = lanes<bigint>();
  #isOnline = false;

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
  }

  message(message: ChatMessage): void {
    const lane = this.know(message.address.chat, message.messageId);
    lane.heardAt = this.#deps.clock.now();
    lane.add(message);
    this.#start(lane);
  }

  /** Presses wait for nothing but each other: whoever pressed is looking at the button. */
  press(press: ChatPress): void {
    const { chat } = press.address;
    this.#presses.run(chat, () => handOver(this.#deps, press)).catch(() => {}); // rejects only when all this ends
  }

  /** The chat is one of ours, and what is older than this message does not matter. */
  know(chat: string, from: string): ChatLane {
    const lane = this.#chats.get(chat) ?? new ChatLane(chat, from);
    this.#chats.set(chat, lane);
    return lane;
  }

  /** Something may have been missed in every chat: it is read before anything newer is handed over. */
  missed(): void {
    for (const lane of this.#chats.values()) this.#read(lane);
  }

  /** Whether reading is possible. */
  online(isOnline: boolean): void {
    this.#isOnline = isOnline;
    if (isOnline) for (const lane of this.#chats.values()) this.#start(lane);
  }

  /** Reads what is owed, and chats that were lately heard: an event that never came may leave no other trace. */
  lookAgain(): void {
    const since = this.#deps.clock.now() - livelyMs;
    for (const lane of this.#chats.values()) if (lane.isOwed || lane.heardAt >= since) this.#read(lane);
  }

  #read(lane: ChatLane): void {
    lane.miss();
    this.#start(lane);
  }

  #start(lane: ChatLane): void {
    if (!lane.isRunning) this.#run(lane).catch(() => {}); // rejects only when all this ends
  }

  async #run(lane: ChatLane): Promise<void> {
    lane.isRunning = true;
    for (let step = lane.next(); step !== undefined; step = lane.next()) {
      if (step.kind === "missed" && !this.#isOnline) break;
      if (step.kind === "message") await handOverOnce(this.#deps, lane, step.message);
      if (step.kind === "missed") lane.isOwed = !(await this.#readMissed(lane));
      lane.done();
    }
    lane.isRunning = false;
  }

  /** Hands over what the history has beyond what was taken. `false`: it could not be read just now. */
  async #readMissed(lane: ChatLane): Promise<boolean> {
    const { clock, signal, log, history, reading } = this.#deps;
    let from = later(lane.readFrom, idAt(clock.now() - oldestMs));
    for (let failures = 0; ;) {
      const page = await this.#readers.run(BigInt(lane.chat) % readers, () =>
        history.after(lane.chat, from, signal),
      );
      if ("closed" in page) {
        log(`discord: what was missed in ${lane.chat} cannot be read: ${page.closed}`);
        return true;
      }
      if ("failed" in page) {
        failures += 1;
        if (failures === readTries) {
          log(
            `discord: what was missed in ${lane.chat} could not be read, and is read later: ${page.failed}`,
          );
          return false;
        }
        await clock.sleep(1_000 * 2 ** failures, signal);
        continue;
      }
      for (const raw of page.messages) {
        const message = messageOf(raw, reading());
        if (message.kind === "message") await handOverOnce(this.#deps, lane, message);
        from = String(fieldsOf(raw)["id"]);
        lane.read(from);
      }
      if (page.messages.length < pageSize) return true;
    }
  }
}

async function handOverOnce(deps: IntakeDeps, lane: ChatLane, message: ChatMessage): Promise<void> {
  if (lane.isTaken(message.messageId)) return;
  await handOver(deps, message);
  lane.take(message.messageId);
}

/** Until it is taken. Rejects only with the signal's reason. */
async function handOver(
  { take, clock, log, signal }: IntakeDeps,
  event: ChatMessage | ChatPress,
): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    signal.throwIfAborted();
    try {
      return await take(event);
    } catch (error) {
      if (tries % 10 === 0)
        log(
          `discord: ${event.kind} ${event.messageId} was not taken, and is handed over again: ${String(error)}`,
        );
      await clock.sleep(Math.min(30_000, 500 * 2 ** tries), signal);
    }
  }
}
