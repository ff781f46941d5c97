import { existing, isInside } from "../../../lib/sandbox-paths.ts";
import type { Turn } from "../../runtime.ts";
import type { CodexPlan } from "../plan.ts";
import type { AppServer } from "../process/app-server.ts";
import { hasAbility } from "../process/version.ts";
import { fieldsOf, textIn } from "../wire/fields.ts";
import { type OwnLimits, areOurs, limits } from "./limits.ts";

/** For a thread: the sandbox that it would have, in which commands do not see keys and logins either. */
export type Fence = {
  /** Fields of `thread/start` and `thread/resume`. With a sandbox beside it codex would not take it. */
  readonly params: { readonly approvalPolicy: "on-request" };
  /** For the settings of the thread. */
  readonly config: object;
  /** Places that it cannot hide. */
  readonly unhidden: readonly string[];
};

const profile = "talaria-unattended";

/**
 * For a turn that nobody attends, where the sandbox is ours to choose. Not for others: in such a profile a command has no
 * network even after a person has let it out of the sandbox. A codex that is too old for it has none.
 */
export async function fence(
  { userAgent }: Pick<AppServer, "userAgent">,
  { unattended, cwd }: Turn,
  plan: CodexPlan,
  own: OwnLimits,
): Promise<Fence | undefined> {
  if (unattended !== true || !areOurs(plan, own) || !hasAbility("profiles", userAgent)) return undefined;
  // What is ours is hidden in it, wherever it is.
  const { sandbox, approvalPolicy = "on-request" } = limits({ ...plan, holdsGuarded: false }, own);
  if (sandbox === "danger-full-access") return undefined;
  const places = await existing(plan.hidden ?? []);
  const hidden = places.filter((place) => !isPattern(place));
  const [folder = cwd] = await existing([cwd]);
  const writable = sandbox === "workspace-write" && !hidden.some((place) => isInside(folder, place));
  const filesystem = {
    ":root": "read",
    ...(writable ? { ":workspace_roots": { ".": "write" }, ":slash_tmp": "write", ":tmpdir": "write" } : {}),
    ...Object.fromEntries((await existing(plan.unwritable ?? [])).map((place) => [place, "read"])),
    ...Object.fromEntries(hidden.map((place) => [place, "none"])),
  };
  return {
    params: { approvalPolicy },
    config: {
      [`permissions.${profile}`]: { filesystem, network: { enabled: plan.network } },
      default_permissions: profile,
    },
    unhidden: places.filter(isPattern),
  };
}

/** Codex would take it for a pattern, which then hides nothing. */
export const isPattern = (path: string): boolean => /[*?[\]]/.test(path);

/** By what codex says of a thread that it has started or resumed. */
export const isFenced = (reply: unknown): boolean =>
  textIn(fieldsOf(fieldsOf(reply)["activePermissionProfile"]), "id") === profile;
