import type { Running } from "../core/events.ts";
import { short } from "../core/plain-text.ts";
import { columns } from "./text/columns.ts";
import { type Command, commandDefaults } from "./command.ts";
import { minute } from "./text/time.ts";

const ps: Command = {
  ...commandDefaults,
  group: "Turn",
  name: "ps",
  args: "[stop | stop ID]",
  words: ["stop"],
  help: "List what turns have left running, or end it",
  more: "Such as a server that the model has started. /ps stop ends all of it, and /stop does so, too.",
  run: async (arg, { session }, host) => {
    const running = session === undefined ? [] : host.running(session);
    const [verb = "", which = "all", ...more] = arg.split(/\s+/);
    if (verb !== "" && (verb.toLowerCase() !== "stop" || more.length > 0))
      return { text: "/ps takes nothing, stop, or stop and an id." };
    if (session === undefined || running.length === 0) return { text: nothing };
    if (verb === "") return { text: `${columns(running.map(row))}\n/ps stop ends it.` };
    const one = which.toLowerCase() === "all" ? undefined : running.find(({ id }) => id === which);
    if (which.toLowerCase() !== "all" && one === undefined) return { text: noSuch(which, running) };
    return { text: endedText(await host.endRunning(session, one?.id), one === undefined ? running : [one]) };
  },
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

export const processCommands: readonly Command[] = [ps];
