import type { Agent } from "../../agent/index.ts";
import type { Conversations, Handlers } from "../../core/calls.ts";
import { type Goal, type NewGoal, isOpenGoal } from "../../core/goal.ts";
import { Refusal } from "../../core/host.ts";
import { type SessionId, newId } from "../../core/ids.ts";
import { type Caller, principalOf } from "../../core/principal.ts";
import type { NewSession, Session } from "../../core/session.ts";
import { isFolder } from "../../lib/files/is-folder.ts";
import type { GoalChange } from "../../store/schema/goal-table.ts";
import type { Joined } from "./joined.ts";
import { beginSession, inputSettings } from "./own-input.ts";
import { noSuchRuntime } from "../../core/text/no-such-runtime.ts";

export type GoalOperation = Extract<keyof Conversations, `goals.${string}`>;

export function goalHandlers(joined: Joined, send: Agent["send"]): Handlers<GoalOperation> {
  const { store, goals, clock } = joined;

  async function openGoal(session: SessionId): Promise<Goal> {
    const goal = await store.goals.of(session);
    if (goal === undefined || !isOpenGoal(goal)) throw none();
    return goal;
  }
  async function change(session: SessionId, made: (goal: Goal) => GoalChange): Promise<Goal> {
    const goal = await openGoal(session);
    const changed = await store.goals.change(goal.id, made(goal), clock.now());
    if (changed === undefined) throw none();
    return changed;
  }

  return {
    "goals.set": (wanted, caller) => setGoal(joined, wanted, caller),
    "goals.get": async ({ session }) => (await goals.report(session)) ?? null,
    "goals.pause": ({ session }) => change(session, () => ({ state: "paused", why: "You have paused it." })),
    async "goals.resume"({ session }) {
      const goal = await change(session, () => ({ state: "active" }));
      // A program that ends with its command leaves it to one that stays.
      if (joined.longLived || joined.options.executor === true) void goals.pursue(session, send);
      return goal;
    },
    "goals.clear": ({ session }) => change(session, () => ({ state: "cleared" })),
    "goals.budget": ({ session, limit }) =>
      change(session, (goal) => ({ limit: { ...goal.limit, ...limit } })),
    async "goals.add"({ session, text }) {
      requireText(text);
      return change(session, (goal) => ({ subgoals: [...goal.subgoals, text] }));
    },
  };
}

/** What an earlier executor was working on. */
export async function resumeGoals({ store, goals, log }: Joined, send: Agent["send"]): Promise<void> {
  try {
    for (const { session } of await store.goals.active()) void goals.resume(session, send);
  } catch (error) {
    log(`goals: ${String(error)}`);
  }
}

async function setGoal(joined: Joined, wanted: NewGoal, caller: Caller): Promise<Goal> {
  const { store, goals, clock } = joined;
  const { text, check, limit } = wanted;
  requireText(text);
  if (check?.trim() === "")
    throw new Refusal("usage", "The check is empty.", "Name a command, or leave it out.");
  if (check !== undefined && !caller.local)
    throw new Refusal(
      "refused",
      "A check is a command that runs without asking again, so it is allowed at this machine alone.",
      "Set the goal without it, or at the machine.",
    );
  const { id: session, cwd } = await sessionFor(joined, wanted.session, caller);
  const at = clock.now();
  const goal: Goal = {
    id: newId("gol", at),
    session,
    text,
    subgoals: [],
    ...(check === undefined ? {} : { check: { command: check, cwd } }),
    state: "active",
    limit: { ...joined.loaded.config.goals, ...limit },
    before: await goals.spent(session),
    by: principalOf(caller),
    createdAt: at,
    updatedAt: at,
  };
  if (!(await store.goals.add(goal)))
    throw new Refusal("busy", "This session has a goal already.", "Clear it first: /goal clear.");
  return goal;
}

async function sessionFor(
  joined: Joined,
  wanted: NewGoal["session"],
  caller: Caller,
): Promise<Pick<Session, "id" | "cwd">> {
  const id = typeof wanted === "string" ? wanted : wanted.id;
  if (typeof wanted !== "string") {
    const begun = await beginSession(wanted, caller, inputSettings(joined));
    await requireWorkable(begun, joined.runtimes);
    await joined.store.sessions.begin(begun, joined.clock.now());
  }
  const found = await joined.store.sessions.get(id);
  if (found !== undefined) return found;
  throw new Refusal("not_found", `There is no session ${id}.`, "See `talaria sessions list`.");
}

function requireText(text: string): void {
  if (text.trim() === "") throw new Refusal("usage", "The goal is empty.", "Say what is to be reached.");
}

/** Its turns begin by themselves, when nobody may be there to see that they cannot. */
async function requireWorkable(
  { cwd, runtime }: Pick<NewSession, "cwd" | "runtime">,
  runtimes: Joined["runtimes"],
): Promise<void> {
  if (!(await isFolder(cwd)))
    throw new Refusal("usage", `There is no folder ${cwd}.`, "Name one that is there.");
  const names = Object.keys(runtimes);
  if (runtime !== undefined && !names.includes(runtime)) throw noSuchRuntime(runtime, names);
}

const none = (): Refusal =>
  new Refusal("not_found", "This session has no goal that is open.", "Set one: /goal TEXT.");
