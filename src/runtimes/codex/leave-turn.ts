import type { Ports, Turn } from "../runtime.ts";
import { readBinding } from "./thread/seed.ts";

/** Keeps in mind how much of this turn its thread knows, so that the next turn can tell it the rest. */
export async function leaveTurn({ history, doneElsewhere = [] }: Turn, { binding }: Ports): Promise<void> {
  const bound = readBinding(await binding.load());
  // If the turn never began in the thread, the thread is told all of it.
  if (bound === undefined || bound.at !== history.length || bound.told !== undefined) return;
  await binding.save({ ...bound, left: history.length + 1 + doneElsewhere.length });
}
