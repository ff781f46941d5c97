import { Refusal, type TurnChoices } from "../core/host.ts";
import type { NewSession, Session } from "../core/session.ts";
import type { ToolBox } from "../tools/tool.ts";
import type { AgentDeps } from "./index.ts";
import { noSuchRuntime } from "../core/text/no-such-runtime.ts";

/**
 * What a turn runs on: what was chosen for it, else for its session, else by the settings. Rejects with a Refusal where that
 * is not here, or not for those the session is held with.
 */
export function chosenRuntime(
  deps: AgentDeps,
  session: Session | NewSession,
  { tools, runtime }: TurnChoices,
): string {
  // Any other brings tools of its own.
  const chosen = tools === false ? "loop" : runtime;
  const name = chosen ?? session.runtime ?? defaultRuntimeOf(deps, session);
  requireRuntime(deps, name, session);
  return name;
}

/** What a session in which nobody chose a runtime runs on. */
export const defaultRuntimeOf = (
  { defaultRuntime, whyNotOn }: Pick<AgentDeps, "defaultRuntime" | "whyNotOn">,
  { audience }: Pick<Session, "audience">,
): string => (whyNotOn(audience, defaultRuntime) === undefined ? defaultRuntime : "loop");

export function requireRuntime(
  { runtimes, whyNotOn }: AgentDeps,
  name: string,
  { audience }: Pick<Session, "audience">,
): void {
  // Nobody chooses what is only for work.
  const names = Object.keys(runtimes).filter((each) => each !== "script");
  if (runtimes[name] === undefined) throw noSuchRuntime(name, names, "config");
  const why = whyNotOn(audience, name);
  if (why !== undefined) throw new Refusal("usage", why, "Choose the loop.");
}

/** Of a turn that is to have none. */
export const noTools: ToolBox = {
  specs: [],
  enabled: [],
  call: async (name) => ({ ok: false, output: `There is no tool ${name} in this turn.` }),
};
