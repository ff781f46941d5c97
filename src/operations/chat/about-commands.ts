import type { Client } from "../../core/calls.ts";
import type { Attended } from "../../core/host.ts";
import { checkLine } from "../text/check-line.ts";
import type { Role } from "../../core/principal.ts";
import { columns } from "../text/columns.ts";
import { type Run, type CommandCall } from "./command.ts";
import { short } from "../../core/plain-text.ts";
import { type ChosenValue, pendingText, nextTurnSetup } from "./next-turn-setup.ts";

export const status: Run = async (_arg, call, client) => ({ text: columns(await statusRows(call, client)) });

async function statusRows(call: CommandCall, client: Client): Promise<readonly (readonly string[])[]> {
  const { version, provider, profile, home } = await client.call("host.status", {});
  const { session, model, runtime, effort } = await nextTurnSetup(call, client);
  const said = session && (await client.call("sessions.count", { session: session.id }));
  const pending = pendingText(call.choices);
  return [
    ["talaria", version],
    ["session", session?.id ?? "none yet"],
    ...(session === undefined ? [] : [["title", short(session.title ?? "none yet", 100)]]),
    ...(said === undefined ? [] : [["turns", String(said.turns)]]),
    ["model", `${short(model.value, 100)} (${provider}), ${model.from}`],
    ["runtime", `${short(runtime.value, 40)}, ${runtime.from}`],
    ...(effort === undefined ? [] : [["reasoning", origin(effort)]]),
    ...(pending === "" ? [] : [["next", `goes with the next message: ${short(pending, 200)}`]]),
    ["approvals", attendedTexts[call.attended]],
    // Where things are on this machine is for whoever owns it.
    ...(call.by.role === "owner"
      ? [
          ["cwd", short(session?.cwd ?? call.cwd, 200)],
          ["profile", profile],
        ]
      : []),
    ...(home === undefined ? [] : [["home", home]]),
  ];
}

/** What the owner needs to let them in, or to see that they are. */
export const whoami: Run = async (_arg, { by }) => ({
  text: `You are ${by.surface}:${by.id}${by.name === undefined ? "" : ` (${short(by.name, 80)})`}, ${roleTexts[by.role]}.`,
});

const roleTexts: Readonly<Record<Role, string>> = {
  owner: "the owner",
  member: "a member: you can talk to me, and what changes something outside our chat is the owner's to allow",
  guest: "a guest: you can talk to me, and I use nothing of the owner's for it",
  program: "a program",
};

const origin = ({ value, from }: ChosenValue): string => `${short(value, 40)}, ${from}`;

const attendedTexts: Readonly<Record<Attended, string>> = {
  ask: "what needs a yes asks you",
  none: "nobody can be asked here: what needs a yes is not done",
  all: "everything is allowed beforehand",
  yolo: "everything is allowed beforehand (yolo), and what cannot be taken back asks you; /yolo off ends it",
};

export const doctor: Run = async (_arg, _call, client) => ({
  text: (await Array.fromAsync(client.call("doctor.look", {})))
    .flatMap((step) => ("check" in step ? [checkLine(step.check)] : []))
    .join("\n"),
});

export const quit: Run = async () => ({ text: "", quit: true });
