import type { EndedEnvelope, NoticeEvent } from "../core/events.ts";
import { type Incoming, Refusal, type Sent, type Stopped, type TurnChoices } from "../core/host.ts";
import { type SessionId, type TurnId, newId } from "../core/ids.ts";
import { messageText, userMessage } from "../core/messages.ts";
import type { Session, StoredInput } from "../core/session.ts";
import { lanes } from "../lib/lanes.ts";
import type { Runtime } from "../runtimes/runtime.ts";
import { hub } from "./hub.ts";
import type { Agent, AgentDeps } from "./index.ts";
import { reconcile } from "./reconcile.ts";
import { runTurn, toFault } from "./run-turn.ts";
import { type HeldLease, sessionLeases } from "./session-lease.ts";

type Ended = Promise<EndedEnvelope | undefined>;

/** The turn at the head of a session's lane. `turn` is set once it is opened. */
type Running = {
  readonly stop: AbortController;
  readonly ended: Ended;
  turn?: {
    readonly id: TurnId;
    readonly runtime: Runtime;
    readonly say: ReturnType<ReturnType<typeof hub>["voice"]>;
  };
};

type Work = Pick<Incoming, "choices" | "attended">;

export function makeAgent(deps: AgentDeps): Agent {
  const { store, clock } = deps;
  const events = hub(deps.log);
  const leases = sessionLeases(deps);
  const lane = lanes<SessionId>();
  /** Head of the lane first. */
  const jobs = new Map<SessionId, Running[]>();
  let closing = false;

  return {
    send,
    stop,
    subscribe: events.subscribe,
    isBusy: (session) => jobs.has(session),
    reconcile: () =>
      reconcile(deps, leases, (input, held) => void enqueue(input, held, { attended: "none" })),
    drain: () => lane.drain(),
    async [Symbol.asyncDispose]() {
      closing = true;
      for (const [head] of jobs.values()) head?.stop.abort();
      await lane.drain();
    },
  };

  async function send(incoming: Incoming): Promise<Sent> {
    if (closing)
      throw new Refusal("stopping", "Talaria is shutting down.", "Send it again after the restart.");
    const session = typeof incoming.session === "string" ? incoming.session : incoming.session.id;
    await checkTarget(incoming);
    if (jobs.has(session) && incoming.whenBusy === "refuse") throw busyHere(session);
    const held = await leases.hold(session);
    try {
      const { key, input } = incoming;
      const admission = {
        id: newId("inb", clock.now()),
        key,
        session: incoming.session,
        input,
        at: clock.now(),
      };
      const { row, fresh } = await store.inbox.admit(admission);
      if (!fresh) return await letGo(row, "duplicate", Promise.resolve(undefined));
      const head = jobs.get(session)?.[0];
      if (head !== undefined && incoming.whenBusy === "steer") {
        const answer = await steer(head, row);
        if (answer !== "queue") return await letGo(row, answer, head.ended);
      }
      return enqueue(row, held, incoming);
    } catch (error) {
      await leases.letGo(session);
      throw error;
    }
  }

  async function letGo(row: StoredInput, state: Sent["state"], ended: Ended): Promise<Sent> {
    await leases.letGo(row.session);
    return { session: row.session, inbox: row.id, state, ended };
  }

  /** Refused before anything is stored: a session that does not exist, a runtime that is not here. */
  async function checkTarget({ session, choices }: Incoming): Promise<void> {
    const known = typeof session === "string" ? await store.sessions.get(session) : session;
    if (known === undefined) {
      throw new Refusal(
        "not_found",
        `There is no session ${String(session)}.`,
        "See `talaria sessions list`.",
      );
    }
    const runtime = choices?.runtime ?? known.runtime ?? deps.defaultRuntime;
    if (deps.runtimes[runtime] !== undefined) return;
    const names = Object.keys(deps.runtimes).join(", ");
    throw new Refusal("config", `There is no runtime "${runtime}" here.`, `Choose one of: ${names}.`);
  }

  /** Takes over the caller's hold on the lease. */
  function enqueue(row: StoredInput, held: HeldLease, work: Work): Sent {
    const { session } = row;
    const queue = jobs.get(session) ?? [];
    jobs.set(session, queue);
    const stop = new AbortController();
    const job: Running = {
      stop,
      ended: lane.run(session, async () => {
        try {
          return await runInput(row, held, work, job);
        } catch (error) {
          return await couldNotStart(row, error);
        } finally {
          queue.shift();
          if (queue.length === 0) jobs.delete(session);
          await leases
            .letGo(session)
            .catch((error: unknown) => deps.log(`lease of ${session}: ${String(error)}`));
        }
      }),
    };
    queue.push(job);
    return { session, inbox: row.id, state: queue.length > 1 ? "queued" : "running", ended: job.ended };
  }

  /** `undefined`: the input was set aside before its turn came. */
  async function runInput(row: StoredInput, held: HeldLease, work: Work, job: Running): Ended {
    if (closing) return undefined;
    const choices = work.choices ?? {};
    const session = await sessionWith(row.session, choices);
    const runtimeName = session.runtime ?? deps.defaultRuntime;
    const runtime = deps.runtimes[runtimeName];
    if (runtime === undefined) throw new Error(`no runtime ${runtimeName}`);
    const id = newId("trn", clock.now());
    const opening = { id, inbox: row.id, runtime: runtimeName, cwd: session.cwd, at: clock.now() };
    const turn = await store.turns.open(held.lease, opening);
    if (turn === undefined) return undefined;
    const say = events.voice(session.id, id);
    job.turn = { id, runtime, say };
    const news = await newsOf(session.id);
    const { attended } = work;
    const { signal } = job.stop;
    return await runTurn(deps, {
      session,
      held,
      turn,
      input: row,
      runtime,
      choices,
      attended,
      stop: signal,
      say,
      news,
    });
  }

  /** The session as it is from now on: what was chosen for this turn stays with it. */
  async function sessionWith(id: SessionId, choices: TurnChoices): Promise<Session> {
    const { runtime, model, effort, cwd } = choices;
    const change = Object.fromEntries(
      Object.entries({ runtime, model, effort, cwd }).filter(([, value]) => value !== undefined),
    );
    if (Object.keys(change).length > 0) await store.sessions.update(id, change);
    const session = await store.sessions.get(id);
    if (session === undefined) throw new Error(`session ${id} is gone`);
    return session;
  }

  /** The input is durable, but its turn could not be opened: it is set aside, and the person hears why. */
  async function couldNotStart(row: StoredInput, error: unknown): Ended {
    const say = events.voice(row.session, newId("trn", clock.now()));
    await store.inbox.move(row.id, "waiting", "kept").catch(() => false);
    return say({ type: "ended", outcome: "failed", fault: toFault(error), text: "", calls: 0 });
  }

  /** Marked before it is sent: a crash in between must not make it run a second time. */
  async function steer(head: Running, row: StoredInput): Promise<"steered" | "unconfirmed" | "queue"> {
    const { turn } = head;
    if (turn === undefined) return "queue";
    await store.inbox.move(row.id, "waiting", "unconfirmed", turn.id);
    const answer = await turn.runtime.steer(turn.id, row.input).catch(() => "indeterminate" as const);
    if (answer === "indeterminate") {
      turn.say({ type: "notice", code: "steer_unconfirmed", text: unconfirmedText(row) });
      return "unconfirmed";
    }
    await store.inbox.move(row.id, "unconfirmed", answer === "taken" ? "steered" : "waiting", turn.id);
    return answer === "taken" ? "steered" : "queue";
  }

  async function stop(session: SessionId): Promise<Stopped> {
    let setAside = 0;
    for (const input of await store.inbox.inState("waiting", session)) {
      if (await store.inbox.move(input.id, "waiting", "kept")) setAside += 1;
    }
    const head = jobs.get(session)?.[0];
    head?.stop.abort();
    return { interrupted: (await head?.ended) !== undefined, setAside };
  }

  /** What a crash or a Stop left behind, said once. */
  async function newsOf(session: SessionId): Promise<readonly NoticeEvent[]> {
    const turns = await store.turns.takeUntold(session);
    const inputs = await store.inbox.takeUntold(session);
    return [
      ...turns.map((turn): NoticeEvent => ({
        type: "notice",
        code: "turn_recovered",
        text: recoveredText(turn.state),
      })),
      ...inputs.map((input): NoticeEvent => ({ type: "notice", code: "input_kept", text: keptText(input) })),
    ];
  }
}

const busyHere = (session: SessionId): Refusal =>
  new Refusal("busy", `Session ${session} is busy with a turn.`, "Wait for it, or stop it first.");

const recoveredText = (state: string): string =>
  state === "done"
    ? "The last turn had finished when Talaria was ended; its answer was recovered."
    : `The last turn was cut off when Talaria was ended, and is kept as ${state}. What it had finished is in the session.`;

const keptText = (input: StoredInput): string =>
  `An earlier message was kept but not run: "${excerpt(input)}". Send it again if you still want it.`;

const unconfirmedText = (input: StoredInput): string =>
  `Nobody can say whether the running turn has received: "${excerpt(input)}". It is not sent again by itself.`;

function excerpt(input: StoredInput): string {
  const text = messageText(userMessage(input.input)).replaceAll(/\s+/g, " ");
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
