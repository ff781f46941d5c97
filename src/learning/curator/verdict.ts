import type { ListedSkill } from "../../core/learning.ts";
import { dayMs } from "../../core/usage.ts";

/** Days without use after which a learned skill is called stale, and is put away. */
export type Patience = { readonly staleDays: number; readonly archiveDays: number };

/** What is known of a skill. `changed`: when it was made, changed or brought back last. */
export type Known = Pick<ListedSkill, "name" | "source" | "by" | "pinned" | "lastUse"> & {
  readonly changed: number;
};

/** kept: not the curator's business, however long it lies there */
export type Verdict = { readonly what: "kept" | "active" | "stale" | "archive"; readonly idleDays: number };

/**
 * Read off its uses, so there is no state that could be wrong: one that is used is active again. One that was never used
 * counts from its last change, and is as safe as long as one that was used then.
 */
export function verdictOn(known: Known, now: number, { staleDays, archiveDays }: Patience): Verdict {
  const last = Math.max(known.lastUse ?? 0, known.changed);
  const idleDays = Math.max(0, Math.floor((now - last) / dayMs));
  const isOurs = known.source === "home" && (known.by === "agent" || known.by === "review");
  if (!isOurs || known.pinned) return { what: "kept", idleDays };
  if (idleDays >= archiveDays) return { what: "archive", idleDays };
  return { what: idleDays >= staleDays ? "stale" : "active", idleDays };
}
