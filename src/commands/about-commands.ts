import type { Attended } from "../core/host.ts";
import { checkLine } from "./text/check-line.ts";
import { columns } from "./text/columns.ts";
import { type Command, type CommandCall, type CommandHost, commandDefaults } from "./command.ts";
import { short } from "../core/plain-text.ts";
import { type ChosenValue, pendingText, nextTurnSetup } from "./next-turn-setup.ts";

const defaults = { ...commandDefaults, group: "About" } as const;

const status: Command = {
  ...defaults,
  name: "status",
  help: "Show session, model, runtime and where they come from",
  run: async (_arg, call, host) => ({ text: columns(await statusRows(call, host)) }),
};

async function statusRows(call: CommandCall, host: CommandHost): Promise<readonly (readonly string[])[]> {
  const { version, provider, profile, home } = host.status();
  const { session, model, runtime, effort } = await nextTurnSetup(call, host);
  const turns = session === undefined ? [] : await host.sessions.turns(session.id);
  const pending = pendingText(call.choices);
  return [
    ["talaria", version],
    ["session", session?.id ?? "none yet"],
    ...(session === undefined ? [] : [["title", short(session.title ?? "none yet", 100)]]),
    ...(session === undefined ? [] : [["turns", String(turns.length)]]),
    ["model", `${short(model.value, 100)} (${provider}), ${model.from}`],
    ["runtime", `${short(runtime.value, 40)}, ${runtime.from}`],
    ...(effort === undefined ? [] : [["reasoning", origin(effort)]]),
    ...(pending === "" ? [] : [["next", `goes with the next message: ${short(pending, 200)}`]]),
    ["approvals", attendedTexts[call.attended]],
    ["cwd", short(session?.cwd ?? call.cwd, 200)],
    ["profile", profile],
    ["home", home],
  ];
}

const origin = ({ value, from }: ChosenValue): string => `${short(value, 40)}, ${from}`;

const attendedTexts: Readonly<Record<Attended, string>> = {
  ask: "what needs a yes asks you",
  none: "nobody can be asked here: what needs a yes is not done",
  all: "everything is allowed beforehand",
  yolo: "everything is allowed beforehand (yolo), and what cannot be taken back asks you; /yolo off ends it",
};

const doctor: Command = {
  ...defaults,
  name: "doctor",
  help: "Check the installation; says the next step where one is wrong",
  who: "owner",
  run: async (_arg, _call, host) => ({ text: (await host.checks()).map(checkLine).join("\n") }),
};

const quit: Command = {
  ...defaults,
  name: "quit",
  aliases: ["exit", "q"],
  help: "Leave; the session is kept",
  where: ["cli", "tui"],
  run: async () => ({ text: "", quit: true }),
};

export const aboutCommands: readonly Command[] = [status, doctor, quit];
