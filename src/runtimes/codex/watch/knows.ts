import type { Message } from "../../../core/messages.ts";
import type { Binding } from "../../runtime.ts";
import { readBinding, unseenMessages } from "../thread/seed.ts";

/** A thread that knew the history before knows what happened in it, too. Any other thread is told with its next turn. */
export async function markKnown(
  binding: Binding,
  thread: string,
  before: readonly Message[],
  after: readonly Message[],
): Promise<void> {
  const bound = readBinding(await binding.load());
  if (bound?.thread !== thread || unseenMessages(before, bound)?.length !== 0) return;
  await binding.save({ ...bound, told: after.length });
}
