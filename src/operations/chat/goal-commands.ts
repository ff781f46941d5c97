import type { Client } from "../../core/calls.ts";
import type { CommandReply } from "../../core/chat-state.ts";
import { type GoalLimit, type NewGoal, goalText } from "../../core/goal.ts";
import { type SessionId, newId } from "../../core/ids.ts";
import { goalReportText } from "../text/goal-text.ts";
import { unpricedText } from "../text/unpriced.ts";
import type { CommandCall, Run } from "./command.ts";

export const goal: Run = async (arg, call, client) => {
  const [word = ""] = arg.split(/\s+/, 1);
  const rest = arg.slice(word.length).trim();
  const act = acts[word.toLowerCase()];
  if (arg === "" || (act !== undefined && rest === "" && word.toLowerCase() === "status"))
    return { text: await status(call.session, client) };
  const isCommand = act !== undefined && (takesText.has(word.toLowerCase()) || rest === "");
  if (!isCommand) return set({ text: arg }, call, client);
  if (word.toLowerCase() === "check") return withCheck(rest, call, client);
  return call.session === undefined ? { text: noGoal } : act(call.session, rest, client);
};

const noGoal = "This session has no goal. Set one: /goal TEXT.";

async function status(session: SessionId | undefined, client: Client): Promise<string> {
  const report = session === undefined ? null : await client.call("goals.get", { session });
  return report === null ? noGoal : goalReportText(report);
}

type Act = (session: SessionId, rest: string, client: Client) => Promise<CommandReply>;

const said =
  (name: "goals.pause" | "goals.resume" | "goals.clear"): Act =>
  async (session, _rest, client) => ({ text: goalText(await client.call(name, { session })) });

const acts: Readonly<Record<string, Act>> = {
  status: async (session, _rest, client) => ({ text: await status(session, client) }),
  pause: said("goals.pause"),
  resume: said("goals.resume"),
  clear: said("goals.clear"),
  check: async () => ({ text: "" }),
  async add(session, text, client) {
    const { subgoals } = await client.call("goals.add", { session, text });
    return { text: `On the way to it now: ${subgoals.join("; ")}` };
  },
  async budget(session, rest, client) {
    const limit = limitIn(rest);
    if (limit === undefined)
      return { text: "/goal budget takes a number of turns, such as 40, or an amount, such as $10." };
    const changed = await client.call("goals.budget", { session, limit });
    const { model } = await client.call("sessions.get", { session });
    const unpriced = unpricedText(await client.call("host.status", {}), [model], "a number of turns");
    const warning = limit.usd === undefined || unpriced === undefined ? "" : `\nWarning: ${unpriced}.`;
    return {
      text: `It may have ${changed.limit.turns} turns and cost ${changed.limit.usd ?? "any number of"} USD in all.${changed.state === "paused" ? " /goal resume goes on." : ""}${warning}`,
    };
  },
};

const takesText: ReadonlySet<string> = new Set(["add", "budget", "check"]);

function limitIn(text: string): Partial<GoalLimit> | undefined {
  const [, dollar, number] = /^(\$?)\s*(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  const amount = Number(number);
  if (!(amount > 0)) return undefined;
  if (dollar === "$") return { usd: amount };
  return Number.isSafeInteger(amount) ? { turns: amount } : undefined;
}

/** `COMMAND : TEXT`, with spaces around the colon: a command may have one of its own. */
async function withCheck(rest: string, call: CommandCall, client: Client): Promise<CommandReply> {
  const [check = "", ...text] = rest.split(/\s:\s/);
  if (check.trim() === "" || text.length === 0)
    return { text: "Say it as /goal check COMMAND : TEXT, such as /goal check npm test : All tests pass." };
  return set({ text: text.join(" : ").trim(), check: check.trim() }, call, client);
}

/** The first turn is the person's own message. */
async function set(
  wanted: Omit<NewGoal, "session">,
  { session, title, cwd, now }: CommandCall,
  client: Client,
): Promise<CommandReply> {
  const fresh = { id: newId("ses", now), cwd, ...(title === undefined ? {} : { title }) };
  const made = await client.call("goals.set", { ...wanted, session: session ?? fresh });
  const how =
    made.check === undefined ? "a judge looks at what was done" : `\`${made.check.command}\` is run`;
  return {
    text: `Goal set. After each turn ${how}, and the next one begins until it is reached (${made.limit.turns} turns at most). /goal shows how it stands, /goal pause pauses it.`,
    ...(session === undefined ? { session: made.session } : {}),
    send: { input: [{ type: "text", text: made.text }], whenBusy: "queue" },
  };
}
