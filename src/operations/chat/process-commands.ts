import type { Running } from "../../core/events.ts";
import { short } from "../../core/plain-text.ts";
import { columns } from "../text/columns.ts";
import type { Run } from "./command.ts";
import { minute } from "../text/time.ts";

export const ps: Run = async (arg, { session }, client) => {
  const running = session === undefined ? [] : await client.call("processes.list", { session });
  const [verb = "", which = "all", ...more] = arg.split(/\s+/);
  if (verb !== "" && (verb.toLowerCase() !== "stop" || more.length > 0))
    return { text: "/ps takes nothing, stop, or stop and an id." };
  if (session === undefined || running.length === 0) return { text: nothing };
  if (verb === "") return { text: `${columns(running.map(row))}\n/ps stop ends it.` };
  const one = which.toLowerCase() === "all" ? undefined : running.find(({ id }) => id === which);
  if (which.toLowerCase() !== "all" && one === undefined) return { text: noSuch(which, running) };
  return {
    text: endedText(
      await client.call("processes.end", { session, ...(one === undefined ? {} : { id: one.id }) }),
      one === undefined ? running : [one],
    ),
  };
};

const nothing = "Nothing that a turn started is still running.";

const row = ({ id, command, since }: Running): readonly string[] => [id, minute(since), short(command, 100)];

const noSuch = (which: string, running: readonly Running[]): string =>
  `Nothing runs as ${short(which, 20)}. There is: ${running.map(({ id }) => id).join(", ")}.`;

function endedText(ended: readonly Running[], wanted: readonly Running[]): string {
  const gone = new Set(ended.map(({ id }) => id));
  return wanted
    .map(({ id, command }) =>
      gone.has(id)
        ? `Ended: ${short(command, 100)}`
        : `Could not be ended: ${short(command, 100)}. It ends when Talaria does.`,
    )
    .join("\n");
}
