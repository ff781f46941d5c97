import type { Choice, Principal } from "../core/asking.ts";

/** Why this one may not decide here; undefined when they may. `surface`: where it was asked, when that is known. */
export function whyMayNotAnswer({ role, surface }: Principal, asked: string | undefined): string | undefined {
  if (role === "owner") return undefined;
  if (role !== "paired") return "only the owner and people paired with this agent may answer";
  return surface === asked
    ? undefined
    : "it was asked on another surface, and only its owner may answer it from here";
}

export function whyMayNotChoose(
  choice: Choice,
  choices: readonly Choice[],
  { local }: Principal,
): string | undefined {
  if (choice === "deny") return undefined;
  if (!choices.includes(choice))
    return `"${choice}" cannot be chosen here; choose one of: ${choices.join(", ")}`;
  if (choice === "always" && !local) return "a rule that stays can be made only at the machine itself";
  return undefined;
}
