import { Refusal } from "../../core/host.ts";
import { type Json, isPlainObject } from "../../core/json.ts";
import type { Redo } from "../index.ts";
import { hashOf } from "./skill-files.ts";
import { maxSkillChars, parseSkill } from "./skill-format.ts";

/**
 * What is asked of one file of a skill. `skill`: the name, where the file is the SKILL.md and has to stay one. `base`: the
 * hash of the text that was seen, where all of it is replaced or removed.
 */
export type SkillChange =
  | { readonly action: "create"; readonly skill?: string; readonly content: string }
  | {
      readonly action: "patch";
      readonly skill?: string;
      readonly old_text: string;
      readonly new_text: string;
    }
  | {
      readonly action: "replace";
      readonly skill?: string;
      readonly content: string;
      readonly base: string;
    }
  | { readonly action: "remove"; readonly base: string };

/** What a file of a skill is after a change. */
export const redoSkill: Redo = (asked, now) => {
  const change = skillChange(asked);
  const after = changed(change, now);
  if (after === undefined) return undefined;
  if (after.length > maxSkillChars)
    throw refused(
      `It would have ${after.length} characters, and ${maxSkillChars} are allowed.`,
      "Put parts of it into files under references/.",
    );
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/.test(after))
    throw refused("It has control characters in it.", "Write it as plain text.");
  const skill = change.action === "remove" ? undefined : change.skill;
  const parsed = skill === undefined ? undefined : parseSkill(after, skill);
  if (parsed !== undefined && "bad" in parsed)
    throw refused(
      `It would be no skill any more: ${parsed.bad}.`,
      "A SKILL.md begins with `---`, `name: …`, `description: …`, `---`.",
    );
  return after;
};

function changed(change: SkillChange, now: string | undefined): string | undefined {
  if (change.action === "create") {
    if (now === undefined) return change.content;
    throw refused("There is such a file already.", "Read it with skill_view, and patch it.");
  }
  if (now === undefined) throw refused("There is no such file.", "skill_view shows which there are.");
  if (change.action === "patch") return patched(now, change.old_text, change.new_text);
  if (hashOf(now) !== change.base)
    throw refused("The file was changed since it was read.", "Read it again with skill_view.");
  return change.action === "remove" ? undefined : change.content;
}

function patched(now: string, old: string, fresh: string): string {
  const first = old === "" ? -1 : now.indexOf(old);
  if (first < 0) throw refused("old_text is not in the file.", "Copy it exactly from what skill_view shows.");
  if (now.includes(old, first + 1))
    throw refused("old_text is in the file more than once.", "Give more of the lines around it.");
  return now.slice(0, first) + fresh + now.slice(first + old.length);
}

/** Reads what a row says. */
function skillChange(change: Json): SkillChange {
  const { action, skill, content, base, old_text, new_text } = isPlainObject(change) ? change : {};
  const main = typeof skill === "string" ? { skill } : {};
  if (action === "create" && typeof content === "string") return { action, content, ...main };
  if (action === "patch" && typeof old_text === "string" && typeof new_text === "string")
    return { action, old_text, new_text, ...main };
  if (action === "replace" && typeof content === "string" && typeof base === "string")
    return { action, content, base, ...main };
  if (action === "remove" && typeof base === "string") return { action, base };
  throw refused("This change of a skill cannot be done again.", "Make it by hand.");
}

const refused = (message: string, next: string): Refusal => new Refusal("refused", message, next);
