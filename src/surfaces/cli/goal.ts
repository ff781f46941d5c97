import { resolve } from "node:path";
import type { Client } from "../../core/calls.ts";
import { sessionToStartIn } from "../../core/client/start-session.ts";
import { type Goal, type GoalLimit, goalText } from "../../core/goal.ts";
import { type SessionId, newId } from "../../core/ids.ts";
import { systemClock } from "../../lib/clock.ts";
import { goalReportText } from "../../operations/text/goal-text.ts";
import {
  type Action,
  type Actions,
  type Options,
  type Output,
  type Typed,
  textOf,
  wholeNumber,
} from "./action.ts";
import { usage } from "./failure.ts";
import { unpricedWarnings } from "./unpriced.ts";

const set: Action = async (client, typed) => {
  const { words, options, ports } = typed;
  const check = textOf(options["check"]);
  const limit = limitOf(options);
  const known = await named(client, typed);
  const [runtime, model] = [textOf(options["runtime"]), textOf(options["model"])];
  const fresh = {
    id: newId("ses", systemClock.now()),
    cwd: resolve(ports.cwd, textOf(options["cwd"]) ?? "."),
    ...(runtime === undefined ? {} : { runtime }),
    ...(model === undefined ? {} : { model }),
  };
  const goal = await client.call("goals.set", {
    session: known ?? fresh,
    text: words.join(" "),
    ...(check === undefined ? {} : { check }),
    ...(limit === undefined ? {} : { limit }),
  });
  const said = await begun(await client.call("goals.resume", { session: goal.session }), typed);
  return { ...said, warnings: [...(said.warnings ?? []), ...(await unpriced(client, goal, limit))] };
};

/** Says who works on it, which may be nobody. */
async function begun(goal: Goal, { ports, options: { profile } }: Typed): Promise<Output> {
  const doors = await ports.doors(profile === undefined ? {} : { profile });
  const warnings =
    doors.length > 0
      ? []
      : [
          "no host is running that would work on it: `talaria service install`, or open the session and type /goal resume",
        ];
  return {
    text: `${goalText(goal)}\nSession ${goal.session}; talaria goal status --session ${goal.session}`,
    rows: [goal],
    warnings,
  };
}

const status: Action = async (client, typed) => {
  const report = await client.call("goals.get", { session: await required(client, typed) });
  if (report === null) return { text: "This session has no goal.", rows: [] };
  return { text: goalReportText(report), rows: [report] };
};

const change =
  (name: "goals.pause" | "goals.clear"): Action =>
  async (client, typed) => {
    const goal = await client.call(name, { session: await required(client, typed) });
    return { text: goalText(goal), rows: [goal] };
  };

const resume: Action = async (client, typed) =>
  begun(await client.call("goals.resume", { session: await required(client, typed) }), typed);

const budget: Action = async (client, typed) => {
  const limit = limitOf(typed.options);
  if (limit === undefined) throw usage("Say how much: --turns or --usd.");
  const goal = await client.call("goals.budget", { session: await required(client, typed), limit });
  return {
    text: `${goalText(goal)}\nIt may have ${goal.limit.turns} turns in all.`,
    rows: [goal],
    warnings: await unpriced(client, goal, limit),
  };
};

async function unpriced(
  client: Client,
  { session }: Goal,
  limit: Partial<GoalLimit> | undefined,
): Promise<readonly string[]> {
  if (limit?.usd === undefined) return [];
  const { model } = await client.call("sessions.get", { session });
  return unpricedWarnings(client, { usd: limit.usd }, [model], "--turns");
}

const add: Action = async (client, typed) => {
  const text = typed.words.join(" ");
  const goal = await client.call("goals.add", { session: await required(client, typed), text });
  return { text: `${goalText(goal)}\nOn the way: ${goal.subgoals.join("; ")}`, rows: [goal] };
};

/** `talaria goal …`. */
export const actions: Actions = {
  set,
  status,
  pause: change("goals.pause"),
  resume,
  clear: change("goals.clear"),
  budget,
  add,
};

const named = (client: Client, { options, ports }: Typed): Promise<SessionId | undefined> => {
  const session = textOf(options["session"]);
  const goOn = options["continue"] === true;
  return sessionToStartIn(
    client,
    { ...(session === undefined ? {} : { session }), continue: goOn },
    ports.cwd,
  );
};

async function required(client: Client, typed: Typed): Promise<SessionId> {
  const session = await named(client, typed);
  if (session === undefined) throw usage("Say of which session: --session ID, or --continue.");
  return session;
}

function limitOf(options: Options): Partial<GoalLimit> | undefined {
  const turns = textOf(options["turns"]);
  const usd = textOf(options["usd"]);
  if (usd !== undefined && !(Number(usd) > 0)) throw usage(`--usd ${usd}: not an amount above 0.`);
  if (turns === undefined && usd === undefined) return undefined;
  return {
    ...(turns === undefined ? {} : { turns: wholeNumber("--turns", turns) }),
    ...(usd === undefined ? {} : { usd: Number(usd) }),
  };
}
