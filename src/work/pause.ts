import type { WorkPause } from "../core/work/work.ts";
import type { Store } from "../store/store.ts";

const pauseKey = "work.paused";

/** Since when all work stands still; `undefined`: it does not. */
export async function workPause({ meta }: Pick<Store, "meta">): Promise<WorkPause | undefined> {
  const text = await meta.get(pauseKey);
  return text === undefined || text === "" ? undefined : (JSON.parse(text) as WorkPause);
}

export const pauseWork = ({ meta }: Pick<Store, "meta">, pause: WorkPause | undefined): Promise<void> =>
  meta.set(pauseKey, pause === undefined ? "" : JSON.stringify(pause));
