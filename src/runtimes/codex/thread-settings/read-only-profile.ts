import { existing, outermost } from "../../../lib/sandbox/paths.ts";
import type { CodexPlan } from "../plan.ts";
import type { AppServer } from "../process/app-server.ts";
import { hasAbility } from "../process/version.ts";
import { fieldsOf, textIn } from "../wire/fields.ts";
import { isPattern } from "./keyless-profile.ts";

const profile = "talaria-aside";

/**
 * Settings of a thread whose commands write nothing, have no network, and do not see keys and logins either. With a
 * sandbox beside it codex would not take it. A codex that is too old for it has none.
 */
export async function readOnlyProfile(
  { userAgent }: Pick<AppServer, "userAgent">,
  { hiddenInSideTurns = [], doors }: Pick<CodexPlan, "hiddenInSideTurns" | "doors">,
): Promise<object | undefined> {
  if (!hasAbility("profiles", userAgent)) return undefined;
  await doors?.();
  const places = outermost((await existing(hiddenInSideTurns)).filter((place) => !isPattern(place)));
  const filesystem = { ":root": "read", ...Object.fromEntries(places.map((place) => [place, "none"])) };
  return {
    [`permissions.${profile}`]: { filesystem, network: { enabled: false } },
    default_permissions: profile,
  };
}

/** By what codex says of the thread. */
export const hasReadOnlyProfile = (reply: unknown): boolean =>
  textIn(fieldsOf(fieldsOf(reply)["activePermissionProfile"]), "id") === profile;
