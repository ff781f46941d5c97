import type { Client } from "../../core/calls.ts";
import { counted, short } from "../../core/plain-text.ts";
import type { Delegated } from "../../core/tooling.ts";
import { tokensText } from "../../core/usage.ts";
import { columns } from "../text/columns.ts";
import { type Run, type CommandCall } from "./command.ts";

export const agents: Run = async (arg, call, client) => {
  const live = await tasksFor(call, client);
  const [verb = "", which = "", ...more] = arg.toLowerCase().split(/\s+/);
  if (verb === "") return { text: live.length === 0 ? nothing : tree(live) };
  if (verb !== "stop" || which === "" || more.length > 0)
    return { text: "/agents takes nothing, stop and a number, or stop all." };
  return { text: await stop(live, which, client) };
};

const nothing = "No delegated task is running.";

/** A guest sees only the tasks of their own session. */
async function tasksFor({ by, session }: CommandCall, client: Client): Promise<readonly Delegated[]> {
  if (by.role === "owner") return client.call("tasks.list", {});
  return session === undefined ? [] : client.call("tasks.list", { session });
}

async function stop(live: readonly Delegated[], which: string, client: Client): Promise<string> {
  const wanted = which === "all" ? live : live.filter(({ number }) => String(number) === which);
  if (wanted.length === 0) return which === "all" || live.length === 0 ? nothing : noSuch(which, live);
  await Promise.all(wanted.map(({ session }) => client.call("turns.stop", { session })));
  return wanted.map(({ number, goal }) => `Stopped ${number}: ${short(goal, 60)}`).join("\n");
}

const noSuch = (which: string, live: readonly Delegated[]): string =>
  `There is no task ${short(which, 20)}. There are: ${live.map(({ number }) => number).join(", ")}.`;

/** Each session with its tasks below it. */
function tree(live: readonly Delegated[]): string {
  const parents = [...new Set(live.map(({ parent }) => parent))];
  return parents
    .flatMap((parent) => [
      parent,
      columns(live.filter((task) => task.parent === parent).map(taskRow)).replaceAll(/^/gm, "  "),
    ])
    .join("\n");
}

const taskRow = ({ number, runtime, calls, tokens, goal, now }: Delegated): readonly string[] => [
  String(number),
  runtime,
  counted(calls, "call"),
  `${tokensText(tokens)} tokens`,
  short(goal, 40),
  short(now, 60),
];
