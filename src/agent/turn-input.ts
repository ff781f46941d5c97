import type { TurnChoices } from "../core/host.ts";
import type { TurnId } from "../core/ids.ts";
import type { InputPart } from "../core/messages.ts";
import type { Session } from "../core/session.ts";
import type { Past, Turn } from "../runtimes/runtime.ts";
import type { FoundAtStart, OpenedTurn } from "../store/schema/opened-turn.ts";
import { type SessionHistory, loadSessionHistory, pastOf } from "./session-history.ts";
import type { AgentDeps } from "./index.ts";

type Deps = Pick<AgentDeps, "store" | "prepare">;

/** All that a runtime needs for this turn: what was said before, the input, and only what somebody chose. */
export async function turnInput(
  deps: Deps,
  { turn, session, found }: Pick<OpenedTurn, "turn" | "session" | "found">,
  input: readonly InputPart[],
  choices: TurnChoices,
  past?: () => Promise<SessionHistory>,
): Promise<Turn> {
  return {
    ...(await sessionTurn(deps, session, turn.id, choices, past, found)),
    cwd: turn.cwd,
    input,
    ...(choices.outputSchema === undefined ? {} : { outputSchema: choices.outputSchema }),
  };
}

/** The same without an input: what a runtime needs to find its side of the session. */
export async function sessionTurn(
  { store, prepare }: Deps,
  session: Session,
  id: TurnId,
  choices: TurnChoices = {},
  past: () => Promise<SessionHistory> = () => loadSessionHistory(store, session.id),
  found?: FoundAtStart,
): Promise<Turn> {
  const prepared = await prepare(session, choices, found);
  let read: Promise<Past> | undefined;
  return {
    id,
    session: session.id,
    cwd: session.cwd,
    past: () => (read ??= past().then(pastOf)),
    input: [],
    ...prepared,
    ...(session.model === undefined ? {} : { model: session.model }),
    ...(session.effort === undefined ? {} : { effort: session.effort }),
  };
}
