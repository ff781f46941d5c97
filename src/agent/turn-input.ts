import type { TurnChoices } from "../core/host.ts";
import type { Session, StoredMessage, StoredTurn, TurnRecord } from "../core/session.ts";
import type { InputPart, Message } from "../core/messages.ts";
import type { Turn } from "../runtimes/runtime.ts";
import type { Store } from "../store/store.ts";
import { history } from "../transcript/history.ts";
import type { AgentDeps } from "./index.ts";

/** All that a runtime needs for this turn: the history before it, the input, and only what somebody chose. */
export async function turnInput(
  { store, prepare }: Pick<AgentDeps, "store" | "prepare">,
  turn: StoredTurn,
  session: Session,
  input: readonly InputPart[],
  choices: TurnChoices,
): Promise<Turn> {
  const [prepared, before] = await Promise.all([prepare(session, choices), recordsBefore(store, turn)]);
  return {
    id: turn.id,
    session: session.id,
    cwd: turn.cwd,
    history: history(before),
    input,
    ...prepared,
    ...(session.model === undefined ? {} : { model: session.model }),
    ...(session.effort === undefined ? {} : { effort: session.effort }),
    ...(choices.outputSchema === undefined ? {} : { outputSchema: choices.outputSchema }),
  };
}

async function recordsBefore(store: Store, turn: StoredTurn): Promise<readonly TurnRecord[]> {
  const [turns, messages] = await Promise.all([
    store.sessions.turns(turn.session),
    store.sessions.messages(turn.session),
  ]);
  return turnRecords(
    turns.filter((other) => other.id !== turn.id),
    messages,
  );
}

export function turnRecords(
  turns: readonly StoredTurn[],
  messages: readonly StoredMessage[],
): readonly TurnRecord[] {
  const rows = new Map<string, Message[]>();
  for (const { turn, message } of messages) {
    const list = rows.get(turn) ?? [];
    list.push(message);
    rows.set(turn, list);
  }
  return turns.map((turn) => ({ turn, messages: rows.get(turn.id) ?? [] }));
}
