import type { Action } from "../../core/asking.ts";
import { instructsAgents } from "../../core/agent-files.ts";
import { type Json, isPlainObject } from "../../core/json.ts";
import { type Label, inOrder, meaning } from "./labels.ts";
import { isInside, resolvePath } from "./paths.ts";
import type { Assessment, PolicySettings } from "./policy.ts";
import { isSensitive } from "./sensitive-paths.ts";

type Change = Extract<Action, { kind: "change" }>;

const asks: Assessment = { labels: [], destructive: false, reach: "far", reason: "", lasting: true };

/** A change of files. Guarded ones are never changed, nor is a folder opened that holds them. */
export function assessChange({ changes, root }: Change, cwd: string, settings: PolicySettings): Assessment {
  const folder = root === undefined ? undefined : (resolvePath(cwd, root) ?? "/");
  const paths = (changes ?? []).map(({ path }) => resolvePath(cwd, path));
  if (folder !== undefined && covers(folder, settings.guarded)) return never(openGuard);
  if (
    paths.some((path) => path !== undefined && settings.guarded.some((guarded) => isInside(path, guarded)))
  ) {
    return never(changeGuard);
  }
  const removed = (changes ?? []).filter(({ kind }) => kind === "delete" || kind === "move");
  if (removed.some(({ path }) => covers(resolvePath(cwd, path) ?? "/", settings.guarded)))
    return never(changeGuard);
  if (changes === undefined || changes.length === 0) {
    return { ...asks, reason: "Nobody knows what it would change.", lasting: false };
  }
  if (folder !== undefined) {
    return { ...asks, reason: `From then on everything in ${folder} may be written.`, lasting: false };
  }
  return assessPaths(paths, cwd, settings);
}

const openGuard = "Never done: it would open a folder that holds Talaria's own settings, keys or records.";
const changeGuard = "Never done: it would change Talaria's own settings, keys or records.";

const never = (reason: string): Assessment => ({ ...asks, reason, lasting: false, never: reason });

const covers = (folder: string, guarded: readonly string[]): boolean =>
  guarded.some((path) => isInside(path, folder) || isInside(folder, path));

function assessPaths(
  paths: readonly (string | undefined)[],
  cwd: string,
  { home, securityMode }: PolicySettings,
): Assessment {
  const work = resolvePath(undefined, cwd);
  const isOutside = (path: string | undefined): boolean =>
    path === undefined || work === undefined || work === "/" || path === work || !isInside(path, work);
  const found = new Set<Label>();
  for (const path of paths) {
    if (isOutside(path)) found.add("outside-write");
    if (path !== undefined && instructsAgents(path)) found.add("instructs-agents");
    if (path !== undefined && isSensitive(path, cwd, home)) found.add("sensitive-write");
  }
  if (found.size > 0) return { ...asks, labels: inOrder(found), reason: meaning(inOrder(found)) };
  if (securityMode === "approval-required")
    return { ...asks, reason: "In this security mode every change needs a yes." };
  return { ...asks, reach: "inside", reason: "It stays inside the working folder." };
}

/** More rights for a runtime. What would let it write guarded files is never given. */
export function assessPermissions(wanted: Json, { guarded, home }: PolicySettings): Assessment {
  const paths = writable(wanted, 0).map((path) => resolvePath(undefined, path.replace(/^~(?=\/|$)/, home)));
  if (paths.some((path) => path !== undefined && covers(path, guarded))) return never(openGuard);
  return { ...asks, reason: "It asks for more permissions than it has.", lasting: false };
}

const deepest = 50;

/** Every path in a wish that is not plainly for reading alone. */
function writable(wish: Json, depth: number): readonly string[] {
  if (typeof wish === "string") return /^[/~]/.test(wish) ? [wish] : [];
  if (typeof wish !== "object" || wish === null) return [];
  if (depth > deepest) return ["/"];
  if (Array.isArray(wish)) return wish.flatMap((inner: Json) => writable(inner, depth + 1));
  if (!isPlainObject(wish) || wish["access"] === "read" || wish["access"] === "none") return [];
  return Object.entries(wish).flatMap(([key, inner]) =>
    key === "read" ? [] : writable(inner as Json, depth + 1),
  );
}
