import type { EndedEvent } from "../core/events.ts";
import type { TurnChoices } from "../core/host.ts";
import type { Session, RevertedChoices } from "../core/session.ts";

/** What a session had before a message chose something else for it. */
export type PreviousChoices = Partial<Pick<Session, "runtime" | "model" | "effort">>;

/**
 * A turn that fails for its settings has not used what its message chose, and the next one would fail for it again: the
 * session goes back to what it had, and the person hears so. `undefined`: nothing was chosen, or it is not to blame.
 */
export function failedChoice(
  ended: EndedEvent,
  choices: TurnChoices,
  before: PreviousChoices,
): { readonly ended: EndedEvent; readonly reverted: RevertedChoices } | undefined {
  const { fault } = ended;
  const tried = (["runtime", "model", "effort"] as const).filter(
    (key) => choices[key] !== undefined && choices[key] !== before[key],
  );
  if (fault?.code !== "config" || tried.length === 0) return undefined;
  const words = tried.map((key) => `${key} ${choices[key]}`).join(", ");
  const next = `${fault.next} The ${words} does not stay with the session.`;
  return {
    ended: { ...ended, fault: { ...fault, next } },
    reverted: Object.fromEntries(tried.map((key) => [key, before[key] ?? null])),
  };
}
