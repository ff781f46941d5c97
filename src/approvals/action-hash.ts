import { createHash } from "node:crypto";
import type { Question } from "../core/asking.ts";
import { stableJson } from "../core/json.ts";

/**
 * Names the exact action: the same tool, arguments, command, changes with their diffs, permissions and folder give the
 * same name, whatever the order of keys; anything else gives another one. What is only said about it (summary, reason)
 * and where it was asked does not belong to it. `folder`: the identity of the cwd, undefined when there is no such
 * folder.
 */
export function actionHash(
  { tool, args, action, cwd }: Pick<Question, "tool" | "args" | "action" | "cwd">,
  folder: string | undefined,
): string {
  const where = folder === undefined ? { missing: cwd } : { folder };
  return createHash("sha256").update(stableJson({ tool, args, action, where })).digest("hex");
}

/**
 * Does the hash pin down what would happen? A patch whose content nobody knows looks like every other such patch, so a
 * yes to it is good for once and never becomes a rule.
 */
export function isExact({ action }: Pick<Question, "action">): boolean {
  if (action.kind === "command") return action.command.trim() !== "";
  if (action.kind === "tool") return action.unseen !== true;
  if (action.kind !== "change") return true;
  const { changes = [], root } = action;
  const known = changes.every(({ kind, diff }) => kind === "delete" || diff !== undefined);
  return known && (changes.length > 0 || root !== undefined);
}
