import type { TurnChoices } from "../core/host.ts";
import type { TurnId } from "../core/ids.ts";
import type { InputPart, Message } from "../core/messages.ts";
import type { Session } from "../core/session.ts";
import type { Past, Turn } from "../runtimes/runtime.ts";
import type { FoundAtStart, OpenedTurn } from "../store/schema/opened-turn.ts";
import { type SessionHistory, loadGivenHistory, loadSessionHistory, pastOf } from "./session-history.ts";
import type { AgentDeps } from "./index.ts";

type Deps = Pick<AgentDeps, "store" | "prepare">;

/** All that a runtime needs for this turn: what was said before, the input, and only what somebody chose. */
export async function turnInput(
  deps: Deps,
  { turn, session, found }: Pick<OpenedTurn, "turn" | "session" | "found">,
  input: readonly InputPart[],
  choices: TurnChoices,
  given?: SessionHistory,
): Promise<Turn> {
  return {
    ...(await sessionTurn(deps, session, turn.id, choices, given, found)),
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
  given?: SessionHistory,
  found?: FoundAtStart,
): Promise<Turn> {
  const prepared = await prepare(session, choices, found);
  let past: Promise<Past> | undefined;
  let view: Promise<readonly Message[]> | undefined;
  return {
    id,
    session: session.id,
    cwd: session.cwd,
    past: () => (past ??= loadSessionHistory(store, session.id).then(pastOf)),
    given: () => (view ??= viewOf(given ?? loadGivenHistory(store, session.id))),
    input: [],
    ...prepared,
    ...(session.model === undefined ? {} : { model: session.model }),
    ...(session.effort === undefined ? {} : { effort: session.effort }),
  };
}

const viewOf = async (history: SessionHistory | Promise<SessionHistory>): Promise<readonly Message[]> =>
  (await history).view;
