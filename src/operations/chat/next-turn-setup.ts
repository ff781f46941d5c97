import type { Client } from "../../core/calls.ts";
import type { HostStatus, TurnChoices } from "../../core/host.ts";
import type { Session } from "../../core/session.ts";
import type { CommandContext, CommandReply } from "../../core/chat-state.ts";

/** A setting of the next turn, and where it comes from. */
export type ChosenValue = {
  readonly value: string;
  readonly from:
    | "the default"
    | "the default when Talaria started"
    | "chosen in this session"
    | "chosen for the next message";
};

/** What the next turn runs with. */
export type NextTurnSetup = {
  /** Undefined until the first message. */
  readonly session?: Session;
  readonly runtime: ChosenValue;
  readonly model: ChosenValue;
  /** Unset when nobody chose one: then it is the provider's own. */
  readonly effort?: ChosenValue;
};

export async function nextTurnSetup(
  { session: id, choices }: Pick<CommandContext, "session" | "choices">,
  client: Client,
): Promise<NextTurnSetup> {
  const session = id === undefined ? undefined : await client.call("sessions.get", { session: id });
  const status = await client.call("host.status", {});
  const effort = chosen(choices.effort, session?.effort);
  return {
    ...(session === undefined ? {} : { session }),
    runtime: chosen(choices.runtime, session?.runtime) ?? defaultRuntime(status, session),
    model: chosen(choices.model, session?.model) ?? { value: status.model, from: "the default" },
    ...(effort === undefined ? {} : { effort }),
  };
}

function defaultRuntime({ runtime, knownRuntime }: HostStatus, session: Session | undefined): ChosenValue {
  if (session === undefined || runtime === knownRuntime) return { value: runtime, from: "the default" };
  return { value: knownRuntime, from: "the default when Talaria started" };
}

function chosen(next: string | undefined, session: string | undefined): ChosenValue | undefined {
  if (next !== undefined) return { value: next, from: "chosen for the next message" };
  return session === undefined ? undefined : { value: session, from: "chosen in this session" };
}

/** Stays with the session from now on; before the first message it goes with that. */
export async function applyChoice(
  { session, choices }: Pick<CommandContext, "session" | "choices">,
  client: Client,
  change: Pick<TurnChoices, "runtime" | "model" | "effort">,
): Promise<Pick<CommandReply, "choices">> {
  if (session === undefined) return { choices: change };
  await client.call("sessions.choose", { session, change });
  // A choice that waits for the next message would override this one.
  const overruled = Object.keys(change).some((key) => Object.hasOwn(choices, key));
  return overruled ? { choices: change } : {};
}

/** What goes with the next message, for people. Empty when nothing does. */
export function pendingText({ runtime, model, effort, cwd, record, memory, context }: TurnChoices): string {
  const rows = { runtime, model, effort, cwd, record, memory, context };
  return Object.entries(rows)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${settingText(value)}`]))
    .join(", ");
}

function settingText(value: string | boolean): string {
  if (typeof value === "string") return value;
  return value ? "on" : "off";
}
