import { isPlainObject, listOf, parsedJson } from "../../core/json.ts";
import type { MetaTable } from "../../store/store.ts";

/** A skill that was archived. Paths are relative to the skills folder. */
export type MovedSkill = { readonly name: string; readonly from: string; readonly to: string };

/** What a run of the curator did, or was about to do when it was cut off. */
export type Run = { readonly at: number; readonly moved: readonly MovedSkill[] };

const lastKey = "curator.last";
const runsKey = "curator.runs";
const mostRuns = 5;

/** The record of the curator's runs. Written only by the holder of the learned files' lock. */
export const curatorRuns = (meta: MetaTable) => ({
  /** When it ran last, or was first seen. */
  async last(): Promise<number | undefined> {
    const at = Number.parseInt((await meta.get(lastKey)) ?? "", 10);
    return Number.isNaN(at) ? undefined : at;
  },
  stamp: (at: number): Promise<void> => meta.set(lastKey, String(at)),
  /** Oldest first. */
  list: async (): Promise<readonly Run[]> => runsIn(await meta.get(runsKey)),
  async add(run: Run): Promise<void> {
    const runs = [...runsIn(await meta.get(runsKey)), run].slice(-mostRuns);
    await meta.set(runsKey, JSON.stringify(runs));
  },
  /** Removes skills with matching names from all runs. */
  async forget(matches: (name: string) => boolean): Promise<void> {
    const runs = runsIn(await meta.get(runsKey)).map(({ at, moved }) => ({
      at,
      moved: moved.filter(({ name, from }) => !matches(name) && !matches(from)),
    }));
    await meta.set(runsKey, JSON.stringify(runs.filter(({ moved }) => moved.length > 0)));
  },
  async removeLast(): Promise<void> {
    await meta.set(runsKey, JSON.stringify(runsIn(await meta.get(runsKey)).slice(0, -1)));
  },
});

export type CuratorRuns = ReturnType<typeof curatorRuns>;

const runsIn = (text = "[]"): readonly Run[] => listOf(parsedJson(text)).flatMap(runOf);

function runOf(row: unknown): readonly Run[] {
  const { at, moved } = isPlainObject(row) ? row : {};
  if (typeof at !== "number" || !Array.isArray(moved)) return [];
  return [{ at, moved: moved.flatMap(movedSkillIn) }];
}

/** Reads the record of an archived skill; empty if it is not sound. */
export function movedSkillIn(row: unknown): readonly MovedSkill[] {
  const { name, from, to } = isPlainObject(row) ? row : {};
  const isSound = typeof name === "string" && typeof from === "string" && typeof to === "string";
  return isSound && [from, to].every(isBelow) ? [{ name, from, to }] : [];
}

const isBelow = (path: string): boolean => path.split("/").every((part) => part !== "" && part !== "..");
