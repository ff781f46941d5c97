import { homedir } from "node:os";
import { agentFiles } from "../../../core/agent-files.ts";
import { existing, followed, isInside, outermost, present } from "../../../lib/sandbox/paths.ts";
import type { Turn } from "../../runtime.ts";
import type { CodexPlan } from "../plan.ts";
import type { AppServer } from "../process/app-server.ts";
import { hasAbility } from "../process/version.ts";
import { fieldsOf, textIn } from "../wire/fields.ts";
import { type UserLimits, type UserWorkspace, sandboxIsOurs } from "./limits.ts";

/** For a thread: the sandbox that it would have, in which commands do not see some things either. */
export type OwnProfile = {
  /** What codex says of a thread that has it. */
  readonly id: string;
  /** Fields of `thread/start` and `thread/resume`. With a sandbox beside it codex would not take it. */
  readonly params: { readonly approvalPolicy?: "on-request" };
  /** For the settings of the thread. */
  readonly config: object;
  /** Places that it cannot hide. */
  readonly unhidden: readonly string[];
};

const profile = "talaria-unattended";

/** Is it a turn whose commands are not to see keys and logins? With `unrestricted`, there is no sandbox anywhere. */
export const wantsKeylessProfile = ({ unattended }: Turn, { sandbox }: CodexPlan): boolean =>
  unattended === true && sandbox !== "danger-full-access";

/**
 * For a turn that nobody attends, whoever chose the sandbox. What may be written stays as it was chosen; of full access the
 * network and the working folder are left, since a root that can be written cannot be mounted without leaving folders in
 * it. Not for others: in such a profile a command has no network even after a person has let it out of the sandbox. A codex
 * that is too old for it has none.
 */
export async function keylessProfile(
  { userAgent }: Pick<AppServer, "userAgent">,
  turn: Turn,
  plan: CodexPlan,
  user: UserLimits,
): Promise<OwnProfile | undefined> {
  if (!wantsKeylessProfile(turn, plan) || !hasAbility("profiles", userAgent)) return undefined;
  // Only what is there can be hidden, and a host may be started later.
  await plan.doors?.();
  const places = await existing(plan.hidden ?? []);
  const hidden = outermost(places.filter((place) => !isPattern(place)));
  const [folder = turn.cwd] = await existing([turn.cwd]);
  const isHidden = isWithin(folder, hidden);
  const { filesystem, ...rest } = isHidden
    ? nothingWritten(plan)
    : await baseProfile(chosenSandbox(plan, user), plan, user, { hidden, folder });
  const asks = sandboxIsOurs(plan, user) || !user.policyIsSet;
  return {
    id: profile,
    params: asks ? { approvalPolicy: "on-request" } : {},
    config: {
      [`permissions.${profile}`]: {
        ...rest,
        filesystem: {
          ...filesystem,
          ...Object.fromEntries((await existing(plan.unwritable ?? [])).map((place) => [place, "read"])),
          ...Object.fromEntries(
            [...hidden, ...(await reopened(user, plan, hidden))].map((place) => [place, "none"]),
          ),
        },
      },
      default_permissions: profile,
    },
    unhidden: places.filter(isPattern),
  };
}

/** A place that may be written would be open again inside of a hidden one. */
async function reopened(
  { written = [] }: UserLimits,
  { launch }: CodexPlan,
  hidden: readonly string[],
): Promise<readonly string[]> {
  const home = launch.env["HOME"] ?? homedir();
  const hides = await Promise.all(
    written.map(async (place) => isWithin(await real(place.replace(/^~(?=\/|$)/, home)), hidden)),
  );
  return written.filter((place, at) => hides[at] === true && !isPattern(place));
}

const isWithin = (place: string, folders: readonly string[]): boolean =>
  folders.some((folder) => isInside(place, folder));

const real = (path: string): Promise<string> => followed(path).catch(() => path);

type Profile = { readonly filesystem: object; readonly extends?: string; readonly network?: object };

/** A built-in sandbox under its one name, or a profile of the person's. */
export function chosenSandbox(plan: CodexPlan, user: UserLimits): string {
  if (sandboxIsOurs(plan, user)) return plan.sandbox ?? "workspace-write";
  const name = String(user.profile ?? user.sandbox);
  if (name.includes("danger")) return "danger-full-access";
  return name === ":workspace" ? "workspace-write" : name.replace(/^:(?=read-only$)/, "");
}

const nothingWritten = ({ network }: CodexPlan): Profile => ({
  filesystem: { ":root": "read" },
  network: { enabled: network },
});

/** `folder`: in it the files that instruct agents stay as they are. */
export async function baseProfile(
  name: string,
  plan: CodexPlan,
  user: UserLimits,
  { folder, hidden }: { readonly folder?: string; readonly hidden: readonly string[] },
): Promise<Profile> {
  if (name === "read-only") return nothingWritten(plan);
  const isOpen = name === "danger-full-access";
  // What a profile of theirs says stays, but for what is hidden.
  if (name !== "workspace-write" && !isOpen)
    return { extends: name, filesystem: {}, ...(plan.network ? { network: { enabled: true } } : {}) };
  // A profile takes no notice of what `sandbox_workspace_write` says.
  const { roots, network, withoutTmp, withoutTmpdir } =
    user.profile === undefined ? (user.workspace ?? bare) : bare;
  const places = await Promise.all(roots.map(real));
  const open = roots.filter((root, at) => !isPattern(root) && !isWithin(places[at] ?? root, hidden));
  const presentAgentFiles = folder === undefined ? [] : await present(folder, agentFiles);
  return {
    filesystem: {
      ":root": "read",
      ":workspace_roots": {
        ".": "write",
        ...Object.fromEntries(presentAgentFiles.map((file) => [file, "read"])),
      },
      ...(withoutTmp === true ? {} : { ":slash_tmp": "write" }),
      ...(withoutTmpdir === true ? {} : { ":tmpdir": "write" }),
      ...Object.fromEntries(open.map((root) => [root, "write"])),
    },
    network: { enabled: plan.network || network || isOpen },
  };
}

const bare: UserWorkspace = { roots: [], network: false };

/** Codex would take it for a pattern, which then hides nothing. */
export const isPattern = (path: string): boolean => /[*?[\]]/.test(path);

/** By what codex says of a thread that it has started or resumed. */
export const hasProfile = (reply: unknown, { id }: Pick<OwnProfile, "id">): boolean =>
  textIn(fieldsOf(fieldsOf(reply)["activePermissionProfile"]), "id") === id;
