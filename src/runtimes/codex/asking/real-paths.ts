import { basename, dirname, join, relative } from "node:path";
import type { Action, FileChange, Question } from "../../../core/asking.ts";
import { type Json, isPlainObject } from "../../../core/json.ts";
import { followed, isInside } from "../../../lib/sandbox/paths.ts";

/** The same question with symbolic links resolved: of a patch, of permissions, and of permissions that go with a command. */
export async function withRealPaths(question: Question): Promise<Question> {
  const { action } = question;
  if (action.kind === "change") return patchWithRealPaths(question, action);
  if (action.kind === "command") return commandWithRealPaths(question);
  if (action.kind !== "permissions") return question;
  return { ...question, action: { ...action, wanted: await permissionsWithRealPaths(action.wanted) } };
}

/**
 * Codex names paths as the model did, and a patch that was allowed runs without a sandbox: through a link in the working folder
 * it would change what the rules guard, and a lasting yes would go wherever the link leads next.
 */
async function patchWithRealPaths(question: Question, action: Change): Promise<Question> {
  const { cwd } = question;
  const work = await followed(cwd);
  const resolved = async (change: FileChange): Promise<FileChange> => {
    const real = await written(change);
    return { ...change, path: isInside(real, work) ? join(cwd, relative(work, real)) : real };
  };
  const { changes, root } = action;
  return {
    ...question,
    action: {
      ...action,
      changes: changes === undefined ? undefined : await Promise.all(changes.map(resolved)),
      ...(root === undefined ? {} : { root: await followed(root) }),
    },
  };
}

/** Only the permissions: which files the command itself touches cannot be known. */
async function commandWithRealPaths(question: Question): Promise<Question> {
  const { args } = question;
  if (!isPlainObject(args) || args["additionalPermissions"] === undefined) return question;
  const additionalPermissions = await permissionsWithRealPaths(args["additionalPermissions"] as Json);
  return { ...question, args: { ...(args as { [name: string]: Json }), additionalPermissions } };
}

type Change = Extract<Action, { kind: "change" }>;

/** Access is given to the folder behind a link, so that is what is asked about. */
async function permissionsWithRealPaths(wanted: Json): Promise<Json> {
  if (typeof wanted === "string") return wanted.startsWith("/") ? followed(wanted) : wanted;
  if (Array.isArray(wanted)) return Promise.all(wanted.map(permissionsWithRealPaths));
  if (!isPlainObject(wanted)) return wanted;
  const entries = Object.entries(wanted).map(
    async ([key, inner]) => [key, await permissionsWithRealPaths(inner as Json)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

/** Deleting or moving a link affects the link itself, not its target. */
const written = async ({ kind, path }: FileChange): Promise<string> =>
  kind === "delete" || kind === "move" ? join(await followed(dirname(path)), basename(path)) : followed(path);
