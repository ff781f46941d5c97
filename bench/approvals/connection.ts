import type { Decision, Question } from "../../src/core/asking.ts";

/** One server request of codex, and the action it would run on a yes. */
export type Request = {
  readonly id: number;
  readonly epoch: string;
  readonly question: Question;
  /** Aborts with the turn, the connection, and when codex has resolved the request by itself. */
  readonly abort: AbortController;
};

/** What codex ran, and the decision that let it. */
export type Run = { readonly asked: Request; readonly ran: Request; readonly decision: Decision };

/**
 * The connection to codex, as far as approvals go: requests are numbered from 0 on each new connection, and an accept
 * runs whatever is open under that number.
 */
export class Connection {
  readonly name: string;
  readonly runs: Run[] = [];
  dropped = 0;
  #epoch = 0;
  #next = 0;
  readonly #open = new Map<number, Request>();
  readonly #checksEpoch: boolean;

  constructor(name: string, checksEpoch: boolean) {
    this.name = name;
    this.#checksEpoch = checksEpoch;
  }

  get epoch(): string {
    return `${this.name}-${this.#epoch}`;
  }

  get open(): readonly Request[] {
    return [...this.#open.values()];
  }

  /** Codex asks. */
  request(question: Question): Request {
    const { epoch } = this;
    const id = this.#next++;
    const origin = { request: String(id), epoch };
    const made = { id, epoch, question: { ...question, origin }, abort: new AbortController() };
    this.#open.set(id, made);
    return made;
  }

  /** The runtime's side of a decision. */
  answer(asked: Request, decision: Decision): void {
    if (this.#checksEpoch && asked.epoch !== this.epoch) return this.#drop();
    const ran = this.#open.get(asked.id);
    if (ran === undefined) return this.#drop();
    this.#open.delete(asked.id);
    if (decision.choice !== "deny") this.runs.push({ asked, ran, decision });
  }

  /** Codex has resolved it by itself. */
  resolved(request: Request): void {
    if (request.epoch === this.epoch) this.#open.delete(request.id);
  }

  /** A new codex process: numbers start again. The requests that are gone. */
  replaced(): readonly Request[] {
    const gone = this.open;
    this.#open.clear();
    this.#epoch += 1;
    this.#next = 0;
    return gone;
  }

  #drop(): void {
    this.dropped += 1;
  }
}
