import type { ChatMessage } from "../../../core/gateway/chat.ts";
import { earlier, later, timeOf } from "./snowflake.ts";

/** What a chat's messages wait for: to be handed over, or, before those behind it, for what was missed to be read. */
type Step = { readonly kind: "message"; readonly message: ChatMessage } | { readonly kind: "missed" };

/** More than this waits in Discord's history instead of here. */
const mostWaiting = 1_000;
/** Of each chat so many ids are remembered, and more than can wait; what comes again later than that, the store knows. */
const remembered = 2 * mostWaiting;
/** Ids carry the time at which they were given, and a message may appear after a younger one. */
const disorderMs = 5_000;

/** The messages of one chat on their way in, in order. */
export class ChatLane {
  readonly chat: string;
  #steps: Step[] = [];
  readonly #taken = new Set<string>();
  /** All up to it was read. */
  #readTo: string;
  /** What was missed could not be read; it is tried again later. */
  isOwed = false;
  isRunning = false;
  heardAt: number;

  constructor(chat: string, readTo: string) {
    this.chat = chat;
    this.#readTo = readTo;
    this.heardAt = timeOf(readTo);
  }

  add(message: ChatMessage): void {
    if (this.#steps.length < mostWaiting) {
      this.#steps.push({ kind: "message", message });
      return;
    }
    this.#steps = [...this.#steps.slice(0, 1), { kind: "missed" }];
  }

  /** What comes after this waits until what was missed is read. */
  miss(): void {
    const waiting = this.isRunning ? this.#steps.slice(1) : this.#steps; // what is being read now may be read too early
    if (waiting.at(-1)?.kind !== "missed") this.#steps.push({ kind: "missed" });
  }

  next(): Step | undefined {
    return this.#steps[0];
  }

  done(): void {
    this.#steps.shift();
  }

  isTaken(id: string): boolean {
    return this.#taken.has(id);
  }

  take(id: string): void {
    this.#taken.add(id);
    if (this.#taken.size <= remembered) return;
    for (const oldest of this.#taken) {
      this.#taken.delete(oldest);
      return;
    }
  }

  /** Reading begins a little before the last message. */
  get readFrom(): string {
    return earlier(this.#readTo, disorderMs);
  }

  read(to: string): void {
    this.#readTo = later(to, this.#readTo);
  }
}
