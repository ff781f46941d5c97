import type { Sent } from "../../core/host.ts";
import type { InputPart } from "../../core/messages.ts";
import { skillsOfInput } from "../../core/skill-input.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Store } from "../../store/store.ts";

/** Counts the skills that a person sent along with a message for the turn that took it. Never rejects. */
export async function countSentSkills(
  { learnedUses }: Pick<Store, "learnedUses">,
  clock: Clock,
  input: readonly InputPart[],
  { session, ended }: Pick<Sent, "session" | "ended">,
): Promise<void> {
  const [first] = input;
  const names = first?.type === "text" ? skillsOfInput(first.text).names : [];
  const turn = names.length === 0 ? undefined : (await ended)?.turn;
  if (turn === undefined) return;
  const at = clock.now();
  const uses = [...new Set(names)].map((name) => ({ kind: "skill" as const, name, session, turn, at }));
  await learnedUses.add(uses).catch(() => {}); // a number, and not worth an error
}
