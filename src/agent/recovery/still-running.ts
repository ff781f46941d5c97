import type { NoticeEvent, Running } from "../../core/events.ts";
import type { SessionId } from "../../core/ids.ts";
import { short } from "../../core/plain-text.ts";
import type { AgentDeps } from "../index.ts";

type Deps = Pick<AgentDeps, "runtimes" | "background" | "store" | "owner" | "log">;

const sourcesOf = ({
  runtimes,
  background,
}: Pick<Deps, "runtimes" | "background">): readonly Partial<NonNullable<Deps["background"]>>[] => [
  ...(background === undefined ? [] : [background]),
  ...Object.values(runtimes),
];

/** What turns of this session have left running in this process, whatever ran them. */
export const runningIn = (deps: Deps, session: SessionId): readonly Running[] =>
  sourcesOf(deps).flatMap((source) => source.running?.(session) ?? []);

/** Ends all of it, or the one with this id. Resolves with what was ended. */
export async function endRunning(deps: Deps, session: SessionId, id?: string): Promise<readonly Running[]> {
  const ended = await Promise.all(
    sourcesOf(deps).map((source) => source.endRunning?.(session, id) ?? Promise.resolve([])),
  );
  await recordRunning(deps, session);
  return ended.flat();
}

/** Sessions of which something was stored here. */
const notedIn = new WeakMap<Deps["store"], Set<SessionId>>();

/** Stores it, so that the next start can tell the person what has ended with us. `hadRows`: false if none was there before the turn. Never rejects. */
export async function recordRunning(
  deps: Deps,
  session: SessionId,
  hadRows = true,
): Promise<readonly Running[]> {
  const running = runningIn(deps, session);
  const noted = notedIn.get(deps.store) ?? new Set<SessionId>();
  // There is nothing to store, and nothing that was stored to be taken back.
  if (running.length === 0 && !hadRows && !noted.has(session)) return running;
  if (running.length > 0) notedIn.set(deps.store, noted.add(session));
  await deps.store.leftRunning
    .note(session, deps.owner, running)
    .catch((error: unknown) => deps.log(`what runs in ${session} could not be noted: ${String(error)}`));
  return running;
}

/** Said with the end of a turn. */
export const stillRunningNotice = (running: readonly Running[]): NoticeEvent => ({
  type: "notice",
  code: "still_running",
  text: `Still running: ${commandsText(running)}. /ps lists it, /ps stop ends it.`,
});

/** Said with the first turn after the end of the process in which it ran. */
export const endedWithTalariaNotice = (running: readonly Running[]): NoticeEvent => ({
  type: "notice",
  code: "ended_with_talaria",
  text: `Was still running when Talaria was ended, and ended with it: ${commandsText(running)}.`,
});

const commandsText = (running: readonly Running[]): string =>
  running.map(({ command }) => `\`${short(command, 80)}\``).join(", ");
