import type { Answered, Ask, Choice, Decision, Question } from "../../src/core/asking.ts";
import type { Principal } from "../../src/core/principal.ts";
import { type ApprovalId, type GrantId, type SessionId, newId } from "../../src/core/ids.ts";
import type { Resolution } from "../../src/store/store.ts";
import { type FakeClock, fakeClock } from "../../test/fakes/fake-clock.ts";
import type { Random } from "../random.ts";
import { Connection, type Request } from "./connection.ts";
import { type Mutant, secondAnswerWins, timeoutAllows } from "./mutants.ts";
import { type Tables, Process, type World } from "./world.ts";

export const timeoutMs = 2500;

/** One question that was asked, and what the runtime was told. */
export type Asked = {
  readonly request: Request;
  readonly session: SessionId;
  readonly process: Process;
  /** Two questions with the same key are about the same action. */
  readonly key: string;
  readonly stamp: number;
  decision?: Decision;
};

/** One answer of somebody, and what became of it. */
export type Given = {
  readonly id: ApprovalId;
  readonly choice: Choice;
  readonly by: Principal;
  readonly through: Process;
  /** Whoever waited for it was gone already. */
  readonly abandoned: boolean;
  outcome?: Answered;
};

export type Talk = {
  readonly session: SessionId;
  readonly surface: string;
  readonly local: boolean;
  process: Process;
  readonly connection: Connection;
};

/** Everything there is in one interleaving. */
export class Scene {
  readonly name: string;
  readonly world: World;
  readonly random: Random;
  readonly clock: FakeClock = fakeClock();
  readonly gone = new Set<number>();
  readonly asked: Asked[] = [];
  readonly given: Given[] = [];
  readonly shown: ApprovalId[] = [];
  readonly owners = new Map<ApprovalId, Process>();
  /** When each grant was revoked. */
  readonly revoked = new Map<GrantId, number>();
  readonly wrong: string[] = [];
  readonly counts: Record<string, number> = {};
  processes: Process[] = [];
  talks: Talk[] = [];
  folder = 0;
  stamp = 0;
  readonly #mutant: Mutant | undefined;
  readonly #later = new Map<ApprovalId, Resolution>();
  #pids = 0;

  constructor(world: World, random: Random, mutant: Mutant | undefined) {
    this.name = newId("trn", 1);
    this.world = world;
    this.random = random;
    this.#mutant = mutant;
  }

  async start(): Promise<void> {
    this.processes = [this.newProcess(), this.newProcess()];
    for (const surface of ["cli", "telegram"]) {
      const session = await this.world.session(surface);
      const connection = new Connection(`${this.name} ${surface}`, this.#mutant !== "no-epoch-check");
      const process = this.random.pick(this.processes);
      this.talks.push({ session, surface, local: surface === "cli", process, connection });
    }
  }

  newProcess(): Process {
    const pid = (this.#pids += 1);
    const real: Tables = this.world.handles[pid % 2] ?? this.world.handles[0];
    const store = this.#mutant === "second-answer-wins" ? secondAnswerWins(real, this.#later) : real;
    return new Process(store, pid, {
      isGone: (owner) => this.gone.has(owner.pid),
      clock: this.clock,
      settings: { mode: "manual", securityMode: "auto", deny: [], guarded: [], home: "/home/me/.talaria" },
      timeoutMs,
      isFollowed: () => false,
      folderId: async () => `folder-${this.folder}`,
      tieOf: async () => undefined,
      log: () => {},
    });
  }

  count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  /** Codex asks, and the runtime passes it on; what comes of it goes back to codex. */
  ask(talk: Talk, question: Question, attended: "ask" | "none"): void {
    const { process, session, surface, local, connection } = talk;
    const request = connection.request(question);
    const key = `${question.summary} ${this.folder}`;
    const asked: Asked = { request, session, process, key, stamp: (this.stamp += 1) };
    this.asked.push(asked);
    const { ask } = process.broker.asking({
      session,
      turn: newId("trn", 1),
      folder: "/work",
      runtime: "codex",
      surface,
      from: { surface, id: local ? "ann" : "bob", role: local ? "owner" : "member", local },
      audience: local ? "owner" : "members",
      attended,
      say: (event) => {
        if (event.type !== "approval" || event.approval.decision !== undefined) return;
        this.shown.push(event.approval.id);
        this.owners.set(event.approval.id, process);
      },
    });
    void this.#passOn(asked, connection, this.#mutant === "timeout-allows" ? timeoutAllows(ask) : ask);
  }

  async #passOn(asked: Asked, connection: Connection, ask: Ask): Promise<void> {
    const { request, process } = asked;
    const { signal } = request.abort;
    try {
      const decision = await ask(request.question, signal);
      if (!process.alive) return;
      asked.decision = decision;
      if (decision.choice !== "deny" && signal.aborted)
        this.wrong.push("a yes was handed on after it was withdrawn");
      connection.answer(request, decision);
    } catch (error) {
      this.wrong.push(`ask threw: ${String(error)}`);
    }
  }

  async answer(id: ApprovalId, choice: Choice, by: Principal, through: Process): Promise<void> {
    const owner = this.owners.get(id);
    const given: Given = { id, choice, by, through, abandoned: owner?.alive === false };
    this.given.push(given);
    given.outcome = await through.broker.answer(id, choice, by);
  }

  /** Nothing is under way any more but the waiting. */
  async settle(): Promise<void> {
    for (let round = 0; round < 2; round++) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Asked by a living process, and not decided. */
  open(): readonly Asked[] {
    return this.asked.filter(({ decision, process }) => decision === undefined && process.alive);
  }
}
