import type { Turn } from "../../runtime.ts";
import type { CodexPlan } from "../plan.ts";
import { type Fields, listOf } from "../wire/fields.ts";
import type { UserSettings } from "./user-settings.ts";

type TurnAndPlan = { readonly turn: Pick<Turn, "unattended">; readonly plan: CodexPlan };

/** What the plan has commands see of the terminal that the turn was typed in: nothing when nobody is there. */
export const seenOfTerminal = ({ turn, plan }: TurnAndPlan): Readonly<Record<string, string>> =>
  turn.unattended === true ? {} : (plan.terminal ?? {});

/**
 * The environment of commands as settings of a thread: the process itself has only what every session may share. Where
 * the person's own codex settings choose what commands see, they alone say so. What codex sets for commands it sets
 * after it has left anything out, so the two lists must not meet.
 */
export function commandEnvironment(turnAndPlan: TurnAndPlan, { shell }: Pick<UserSettings, "shell">): object {
  const { hiddenVariables = [] } = turnAndPlan.plan;
  const own = Object.fromEntries(Object.entries(shell).filter(([, value]) => value !== null));
  const seen = choosesItself(own) ? {} : seenOfTerminal(turnAndPlan);
  const set = { ...seen, ...(own["set"] as Fields | undefined) };
  return {
    ...(Object.keys(seen).length === 0 ? {} : { "shell_environment_policy.set": set }),
    ...(hiddenVariables.length === 0
      ? {}
      : { "shell_environment_policy.exclude": [...listOf(own["exclude"]), ...hiddenVariables] }),
  };
}

const choosesItself = (own: Fields): boolean =>
  (own["inherit"] ?? "all") !== "all" ||
  listOf(own["exclude"]).length > 0 ||
  listOf(own["include_only"]).length > 0;
