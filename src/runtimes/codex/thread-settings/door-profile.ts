import { existing } from "../../../lib/sandbox/paths.ts";
import type { Turn } from "../../runtime.ts";
import type { CodexPlan } from "../plan.ts";
import type { AppServer } from "../process/app-server.ts";
import { hasAbility } from "../process/version.ts";
import { type OwnProfile, baseProfile, chosenSandbox, isPattern } from "./keyless-profile.ts";
import { type UserLimits, isNarrowed, sandboxIsOurs } from "./limits.ts";

const profile = "talaria-attended";

/**
 * For a turn that somebody attends and whose sandbox has a network: that sandbox, without the folders in which a host that
 * stays can be reached. Where there is no network, codex lets a command connect to nothing, a socket file included; and
 * hiding something there would keep the network even from commands that a person has let out of the sandbox. Where there is
 * no sandbox, nothing can be hidden.
 */
export async function doorProfile(
  { userAgent }: Pick<AppServer, "userAgent">,
  turn: Turn,
  plan: CodexPlan,
  user: UserLimits,
): Promise<OwnProfile | undefined> {
  const name = chosenSandbox(plan, user);
  if (turn.unattended === true || isNarrowed(plan, user) || !hasNetwork(name, plan, user)) return undefined;
  const places = await existing((await plan.doors?.()) ?? []);
  if (places.length === 0 || !hasAbility("profiles", userAgent)) return undefined;
  const doors = places.filter((place) => !isPattern(place));
  const { filesystem, ...rest } = await baseProfile(name, plan, user, { hidden: doors });
  const asks = sandboxIsOurs(plan, user) || !user.policyIsSet;
  return {
    id: profile,
    params: asks ? { approvalPolicy: "on-request" } : {},
    config: {
      [`permissions.${profile}`]: {
        ...rest,
        filesystem: { ...filesystem, ...Object.fromEntries(doors.map((place) => [place, "none"])) },
      },
      default_permissions: profile,
    },
    unhidden: places.filter(isPattern),
  };
}

/** The two that are codex's own have none, but for what may be said of `workspace-write`. */
function hasNetwork(name: string, plan: CodexPlan, user: UserLimits): boolean {
  if (name === "danger-full-access" || name === "read-only") return false;
  if (name === "workspace-write") return plan.network || user.workspace?.network === true;
  return plan.network || user.profileHasNetwork === true;
}
