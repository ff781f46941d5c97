import type { TurnChoices } from "../core/host.ts";
import type { TurnId } from "../core/ids.ts";
import type { InputPart } from "../core/messages.ts";
import type { Session, StoredTurn } from "../core/session.ts";
import type { Turn } from "../runtimes/runtime.ts";
import { compactedHistory } from "../transcript/compaction.ts";
import { type SessionHistory, loadSessionHistory } from "./session-history.ts";
import type { AgentDeps } from "./index.ts";

type Deps = Pick<AgentDeps, "store" | "prepare">;

/** All that a runtime needs for this turn: the history before it, the input, and only what somebody chose. */
export async function turnInput(
  deps: Deps,
  turn: StoredTurn,
  session: Session,
  input: readonly InputPart[],
  choices: TurnChoices,
  past: Promise<SessionHistory> = loadSessionHistory(deps.store, session.id),
): Promise<Turn> {
  return {
    ...(await sessionTurn(deps, session, turn.id, choices, past)),
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
  past: Promise<SessionHistory> = loadSessionHistory(store, session.id),
): Promise<Turn> {
  const [prepared, { turns, compactions, view }] = await Promise.all([prepare(session, choices), past]);
  return {
    id,
    session: session.id,
    cwd: session.cwd,
    history: compactions.length === 0 ? view : compactedHistory(turns, []),
    ...(compactions.length === 0 ? {} : { view }),
    input: [],
    ...prepared,
    ...(session.model === undefined ? {} : { model: session.model }),
    ...(session.effort === undefined ? {} : { effort: session.effort }),
  };
}
