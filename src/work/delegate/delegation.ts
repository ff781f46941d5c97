import type { Agent, Asking } from "../../agent/index.ts";
import type { Incoming, Stopped } from "../../core/host.ts";
import { type SessionId, type TurnId, newId } from "../../core/ids.ts";
import { short } from "../../core/plain-text.ts";
import type { NewSession, Session } from "../../core/session.ts";
import type { Delegated } from "../../core/tooling.ts";
import type { Clock } from "../../lib/clock.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";
import type { Store } from "../../store/store.ts";
import type { ToolContext } from "../../tools/tool.ts";
import type { Allowance } from "../budget/allowance.ts";
import { type LiveTask, liveTask } from "./live-task.ts";
import { type Slots, slots } from "./slots.ts";
import type { Task, TaskResult, TaskSettings } from "./task.ts";

/** Tasks that turns of this process have handed on and that have not ended. */
export type LiveTasks = {
  /** Keeps it until it is over. */
  add(task: LiveTask): void;
  /** Of one session, or all. */
  list(parent?: SessionId): readonly Delegated[];
  /** `undefined`: no task is done in this session now. */
  stop(session: SessionId): Promise<Stopped> | undefined;
  /** Where the questions of such a session go. */
  asking(session: SessionId): Asking | undefined;
  /** Ends what a turn has handed on. Resolves when that has ended, and after 5 s at the latest. */
  settled(turn: TurnId): Promise<void>;
};

/** A runtime has to end within this time. */
const settleMs = 5000;

export function liveTasks(clock: Clock): LiveTasks {
  const live = new Map<SessionId, LiveTask>();
  return {
    add(one) {
      live.set(one.session, one);
      void one.over.then(() => live.delete(one.session));
    },
    list: (parent) =>
      [...live.values()]
        .map((one) => one.view())
        .filter((one) => parent === undefined || one.parent === parent),
    stop(session) {
      const one = live.get(session);
      one?.stop("person");
      return one?.over.then(() => ({ interrupted: true, setAside: 0, ended: [] }));
    },
    asking: (session) => live.get(session)?.asking,
    async settled(turn) {
      const all = [...live.values()].filter((one) => one.turn === turn);
      if (all.length === 0) return;
      for (const one of all) one.stop("turn");
      const ended = new AbortController();
      const enough = clock.sleep(settleMs, ended.signal, { hold: true }).catch(() => {});
      await Promise.race([Promise.all(all.map((one) => one.over)), enough]);
      ended.abort(noLongerNeeded);
    },
  };
}

/** Hands tasks of turns on to sessions of their own. */
export type Delegation = {
  /** What came of each, in the order of the tasks. Stop ends them all. Rejects only when the store cannot be read. */
  run(tasks: readonly Task[], from: ToolContext): Promise<readonly TaskResult[]>;
};

export type DelegationDeps = {
  readonly agent: Pick<Agent, "send" | "stop" | "subscribe">;
  readonly live: Pick<LiveTasks, "add">;
  readonly sessions: Pick<Store["sessions"], "get">;
  readonly settings: TaskSettings;
  /** Of a session in which nobody chose a runtime. */
  readonly defaultRuntime: string;
  readonly redact: (text: string) => string;
  /** Without it nobody counts what tasks take. */
  readonly allowance?: Pick<Allowance, "take" | "settle">;
  readonly clock: Clock;
};

export function delegation(deps: DelegationDeps): Delegation {
  const free = slots(deps.settings.maxConcurrent);
  let last = 0;

  function handOn(task: Task, parent: Session | undefined, from: ToolContext): LiveTask {
    last += 1;
    const { settings, defaultRuntime, redact } = deps;
    const runtime = task.runtime ?? settings.runtime ?? parent?.runtime ?? defaultRuntime;
    const session = newId("ses", deps.clock.now());
    const one = liveTask(task, { number: last, session, runtime, from, redact });
    deps.live.add(one);
    return one;
  }

  return {
    async run(tasks, from) {
      const parent = await deps.sessions.get(from.session);
      const all = tasks.map((task) => handOn(task, parent, from));
      const stopAll = (): void => all.forEach((one) => one.stop("turn"));
      if (from.signal.aborted) stopAll();
      from.signal.addEventListener("abort", stopAll, { once: true });
      const results = await Promise.all(
        all.map((one) => {
          const session = newSession(deps, one, parent, from);
          return follow(deps, free, one, inputOf(deps.settings, one, session, from), from.session);
        }),
      );
      from.signal.removeEventListener("abort", stopAll);
      return results;
    },
  };
}

function newSession(
  { settings }: DelegationDeps,
  { task, session, runtime }: LiveTask,
  parent: Session | undefined,
  { cwd, audience, session: from }: ToolContext,
): NewSession {
  const { model = parent?.model } = settings;
  const effort = settings.model === undefined ? parent?.effort : undefined;
  return {
    id: session,
    cwd,
    surface: "delegate",
    audience,
    parent: from,
    title: short(task.goal, 80),
    runtime,
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
  };
}

/** Waits for a free slot, then for the end of the turn in the task's own session. */
async function follow(
  deps: DelegationDeps,
  free: Slots,
  one: LiveTask,
  input: Incoming,
  within: SessionId,
): Promise<TaskResult> {
  const { agent, settings, clock } = deps;
  const { session } = one;
  const piece = { id: session, origin: "delegate", subject: session, may: settings.budget, within } as const;
  const since = clock.now();
  const stop = (): void => void agent.stop(one.session).catch(() => {});
  using cleanup = new DisposableStack();
  try {
    if (free.isFull()) one.wait();
    cleanup.use(await free.take(one.stopped));
    cleanup.defer(agent.subscribe(one.session, one.hear));
    one.stopped.addEventListener("abort", stop);
    const notNow = await deps.allowance?.take(piece);
    if (notNow !== undefined) return one.end(new Error(notNow));
    one.begin();
    const result = await endOf(deps, one, input, stop);
    const reason = result.why === undefined ? {} : { reason: result.why };
    const end = { state: result.end === "done" ? "ran" : "failed", ...reason } as const;
    await deps.allowance?.settle(piece, { session, since }, end);
    return result;
  } catch (error) {
    return one.end(error instanceof Error ? error : new Error(String(error)));
  }
}

/** Never rejects: what it had reserved is given back after it. */
async function endOf(
  { agent }: DelegationDeps,
  one: LiveTask,
  input: Incoming,
  stop: () => void,
): Promise<TaskResult> {
  try {
    const sent = await agent.send(input);
    if (one.stopped.aborted) stop(); // the signal may have come before there was a turn to stop
    return one.end(await sent.ended);
  } catch (error) {
    return one.end(error instanceof Error ? error : new Error(String(error)));
  }
}

const inputOf = (
  settings: TaskSettings,
  one: LiveTask,
  session: NewSession,
  { from }: ToolContext,
): Incoming => ({
  // It is done for whoever the turn is for that handed it on.
  from,
  key: { surface: "delegate", account: "", chat: one.session, messageId: one.session },
  session,
  input: [{ type: "text", text: firstMessage(one.task) }],
  whenBusy: "refuse",
  // Whoever may be asked is asked through the turn that handed it on.
  attended: "none",
  choices: { budget: { ...settings.budget, workMs: settings.maxMs, section: "delegation" } },
});

/** What the session that does a task is told, which has seen nothing of the conversation before. */
function firstMessage({ goal, context = "" }: Task): string {
  const known = context.trim() === "" ? [] : [`What you need to know:\n${context.trim()}`];
  return [opening, `The task:\n${goal.trim()}`, ...known, closing].join("\n\n");
}

const opening =
  "You do one part of a larger piece of work, which another session handed on to you. Nobody follows this conversation and no question in it is answered: where something is unclear, take the most sensible reading, and say in the end which one.";

const closing = `When you are finished, answer with a summary. It is all that the other session will see of your work, so it has to stand alone:
- what you did and what you found, with the names, paths and figures that matter
- what you changed
- what is left, what you are not sure of, and what did not work and why
Leave out everything else.`;
