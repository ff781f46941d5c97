import { Refusal } from "../../core/host.ts";
import { type InboxId, type ScheduleId, type SessionId, type TurnId, asId } from "../../core/ids.ts";
import type { Goal } from "../../core/goal.ts";
import type { Principal } from "../../core/principal.ts";
import { oneLine, short } from "../../core/plain-text.ts";
import type { Explanation, Runner, Schedule, StoredOutcome } from "../../core/work/work.ts";
import { localMinute } from "../../lib/time-zone.ts";
import type { Store } from "../../store/store.ts";
import { whyCard } from "../card-runs/card-why.ts";
import { named } from "../cron.ts";
import { workPause } from "../pause.ts";
import { nextAfter } from "../schedules/instants.ts";
import { whyMessage } from "./why-message.ts";

type Deps = {
  readonly store: Store;
  readonly zone: string;
  readonly now: number;
  readonly runner: Runner;
};

/** Why something that was expected is as it is, from its own row. `by`: somebody who is told of their own messages alone. */
export async function explain(deps: Deps, id: string, by?: Principal): Promise<Explanation> {
  if (id.trim() === "") throw new Refusal("usage", "Why what?", "Give an id, or the name of a schedule.");
  if (by !== undefined) return (await whyMessage(deps, id, by)) ?? unknown(id);
  const look = id.startsWith("t_") ? ofCard : lookers[id.slice(0, 4)];
  const found = await look?.(deps, id);
  if (found !== undefined) return found;
  // Whatever has no id has a name, or one that a platform gave it.
  if (/^(?:[a-z]{3}|t)_/.test(id)) return unknown(id);
  return (await whyMessage(deps, id)) ?? ofSchedule(deps, await named(deps.store, id));
}

function unknown(id: string): never {
  throw new Refusal(
    "not_found",
    `Nothing is known by the id ${short(id, 60)}.`,
    "`talaria cron runs` and `talaria sessions list` name what there is.",
  );
}

/** Also by one of its attempts, as `kanban runs` names them. */
const ofCard: Look = (deps, id) => whyCard(deps, id.replace(/\.\d+$/, ""));

type Look = (deps: Deps, id: string) => Promise<Explanation | undefined>;

const lookers: Readonly<Record<string, Look>> = {
  async out_(deps, id) {
    const [found] = await deps.store.outcomes.find(id);
    return found && ofOutcome(deps, found);
  },
  async sch_(deps, id) {
    const known = await deps.store.schedules.get(id as ScheduleId);
    return ofSchedule(deps, known ?? (await named(deps.store, id)));
  },
  async ses_(deps, id) {
    const { outcomes, sessions } = deps.store;
    const of = await outcomes.ofSession(id as SessionId);
    if (of !== undefined) return ofOutcome(deps, of);
    const [piece] = await outcomes.list({ limit: 1, subject: id });
    if (piece?.kind === "delegate") return ofOutcome(deps, piece);
    const [turn] = await sessions.lastTurns(id as SessionId, 1);
    return turn === undefined ? ofQuiet(deps, id as SessionId) : ofTurn(deps, turn.id);
  },
  /** As the API names what it has taken in. */
  run_: async (deps, id) => lookers["inb_"]?.(deps, id.replace("run_", "inb_")),
  async inb_(deps, id) {
    const { outcomes, inbox } = deps.store;
    const of = await outcomes.ofInput(id as InboxId);
    if (of !== undefined) return ofOutcome(deps, of);
    const inChat = await whyMessage(deps, id);
    if (inChat !== undefined) return inChat;
    const input = await inbox.get(id as InboxId);
    if (input?.turn !== undefined) return ofTurn(deps, input.turn);
    return input && { id, what: "a message", state: input.state, ...inputWords[input.state] };
  },
  async gol_({ store }, id) {
    const [goal] = await store.goals.find(id);
    return goal && ofGoal(goal);
  },
  rcv_: whyMessage,
  obx_: whyMessage,
  trn_: (deps, id) => ofTurn(deps, id as TurnId),
  async apr_({ store }, id) {
    const [row] = await store.approvals.find(id);
    if (row === undefined) return undefined;
    const by = row.by === undefined ? "" : `, by ${row.by}`;
    return {
      id: row.id,
      what: `a question: ${row.question.summary}`,
      state: row.state,
      why: row.reason ?? `${row.why ?? "nobody has answered yet"}${by}`,
      next:
        row.state === "pending"
          ? "Answer it where its session is open."
          : "`talaria approvals show` has all of it.",
    };
  },
};

/** Nothing was said in it. */
async function ofQuiet({ store }: Deps, id: SessionId): Promise<Explanation | undefined> {
  const goal = await store.goals.of(id);
  if (goal !== undefined) return ofGoal(goal);
  if ((await store.sessions.get(id)) === undefined) return undefined;
  const why = "nothing was said in it yet";
  return { id, what: "a session", state: "empty", why, next: `talaria -r ${id} goes on with it.` };
}

function ofGoal({ id, session, text, state, why }: Goal): Explanation {
  return {
    id,
    what: `the goal “${short(oneLine(text), 80)}”`,
    state,
    why: why ?? goalWords[state],
    next:
      state === "paused"
        ? `talaria goal resume --session ${session}`
        : `talaria goal status --session ${session}`,
  };
}

const goalWords = {
  active: "it is not reached yet, and is worked on where its session is open or a host stays",
  paused: "somebody has paused it",
  done: "it is reached",
  cleared: "it was given up",
} as const;

const inputWords = {
  waiting: {
    why: "it was taken in and not begun",
    next: "It runs when what is before it has ended, or a host starts.",
  },
  started: { why: "its turn has begun", next: "Look at its session." },
  steered: { why: "it became part of a running turn", next: "Look at its session." },
  unconfirmed: {
    why: "nobody can say whether the running turn has received it",
    next: "Say it again if its answer is missing.",
  },
  kept: {
    why: "it was set aside, and is not run by itself",
    next: "`/queue` in the chat sends or drops it.",
  },
} as const;

async function ofTurn({ store }: Deps, id: TurnId): Promise<Explanation | undefined> {
  const turn = await store.turns.get(id);
  if (turn === undefined) return undefined;
  const { state, fault, session } = turn;
  return {
    id,
    what: `a turn of ${session}`,
    state,
    why: fault?.message ?? turnWords[state],
    next: fault?.next ?? `talaria sessions show ${session}`,
  };
}

const turnWords = {
  open: "it runs now",
  done: "it has ended with an answer",
  interrupted: "it was stopped, or cut off when Talaria was ended",
  failed: "it has failed",
  unconfirmed: "nobody can say how it ended",
} as const;

async function ofOutcome(deps: Deps, row: StoredOutcome): Promise<Explanation> {
  const { store, zone } = deps;
  const { kind } = row;
  if (kind === "goal" || kind === "review" || kind === "delegate") return ofPiece(deps, { ...row, kind });
  const schedule = await store.schedules.get(asId<"sch">(row.subject));
  const name = schedule === undefined ? row.subject : `“${schedule.name}”`;
  const what =
    row.kind === "alert" ? "something to know" : `the run of ${name} due ${localMinute(zone, row.instant)}`;
  const late = row.lateMs > 60_000 ? `, ${Math.round(row.lateMs / 60_000)} min late` : "";
  return {
    id: row.id,
    what,
    state: `${row.state}${late}; delivery: ${await deliveryText(deps, row)}`,
    why: row.reason ?? (await whyWithout(deps, row)),
    next: nextOf(row, schedule),
  };
}

/** Where it was told: with the session of a terminal, or by a message of a chat. */
async function deliveryText({ store }: Deps, { delivery, receipt, target }: StoredOutcome): Promise<string> {
  const message = receipt?.startsWith("obx_") === true ? await store.outbox.get(receipt) : undefined;
  if (message === undefined) return target === "local" ? delivery : `${delivery}, to ${target}`;
  const { surface, chat, state, why } = message;
  const where = `${surface}:${chat} (${receipt}: ${state}${why === undefined ? "" : `, ${why}`})`;
  return delivery === "pending"
    ? `pending, at your next terminal; not in ${where}`
    : `${delivery}, in ${where}`;
}

const pieces = { goal: "a goal", review: "a review", delegate: "a delegated task" } as const;

function ofPiece({ zone }: Deps, row: StoredOutcome & { readonly kind: keyof typeof pieces }): Explanation {
  const { id, kind, subject, instant, state, reason } = row;
  const next = kind === "goal" ? `talaria why ${subject}` : `talaria sessions show ${subject}`;
  return {
    id,
    what: `${pieces[kind]} of ${localMinute(zone, instant)} (${subject})`,
    state,
    why: reason ?? "it ran",
    next:
      state === "skipped" ? "`talaria work status` shows what is left, and whether work is paused." : next,
  };
}

async function whyWithout(deps: Deps, { state, delivery, inbox }: StoredOutcome): Promise<string> {
  if (state === "ran") return delivery === "silent" ? "it ran, and asked for silence" : "it ran";
  if ((await workPause(deps.store)) !== undefined) return "all work is paused";
  if (deps.runner === "none") return noRunner;
  const input = inbox === undefined ? undefined : await deps.store.inbox.get(inbox);
  if (input?.state === "started") return "it runs now";
  const due = input?.work?.dueAt ?? 0;
  if (due > deps.now)
    return `it begins ${localMinute(deps.zone, due)}${(input?.work?.attempt ?? 1) > 1 ? ", once more: its model was not reached before" : ""}`;
  return "it waits until runs before it have ended";
}

function nextOf({ state, session, subject }: StoredOutcome, schedule: Schedule | undefined): string {
  const run = `\`talaria cron run ${schedule?.id ?? subject}\` does it now.`;
  switch (state) {
    case "planned":
      return "`talaria work status` says what runs, and whether a host does.";
    case "ran":
      return session === undefined ? "There is nothing to do." : `talaria sessions show ${session}`;
    case "refused":
      return `Allow the command with \`talaria cron edit ${schedule?.id ?? subject} --allow COMMAND\`, or mend what it says. ${run}`;
    case "failed":
      return session === undefined ? run : `Look at talaria sessions show ${session}. ${run}`;
    case "skipped":
    case "missed":
      return run;
  }
}

async function ofSchedule({ store, zone, now, runner }: Deps, schedule: Schedule): Promise<Explanation> {
  const { id, name, state, why, timing } = schedule;
  const what = `the schedule “${name}”`;
  const next = nextAfter(timing, now);
  if (state !== "active")
    return { id, what, state, why: why ?? "it was removed", next: "`talaria cron resume` goes on with it." };
  if (next === undefined)
    return {
      id,
      what,
      state: "over",
      why: "it has no more times",
      next: "`talaria cron runs` says what became of it.",
    };
  if ((await workPause(store)) !== undefined)
    return { id, what, state, why: "all work is paused", next: "`talaria work resume` goes on with it." };
  const due = `it is due next ${localMinute(zone, next)}`;
  if (runner === "running") return { id, what, state, why: due, next: "There is nothing to do." };
  return {
    id,
    what,
    state,
    why: `${due}, but ${noRunner}`,
    next: "Start one: `talaria service install`, or `talaria serve`.",
  };
}

const noRunner = "no host is running that would begin it";
