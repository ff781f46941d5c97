import type { LiveTurn } from "./live-turn.ts";

/** Codex owes the end of an interrupted turn within this time. */
export const interruptMs = 5_000;
const cleanMs = 2_000;

/** Asks codex to end the turn. Whatever comes of it is seen in the feed; an answer that fails says nothing more. */
export const interrupt = (live: OnThread): Promise<unknown> =>
  ask(live, "turn/interrupt", { threadId: live.state.threadId, turnId: live.state.turnId }, interruptMs);

/** An interrupted command goes on in the background unless it is ended, too. */
export const cleanTerminals = (live: LiveTurn): Promise<unknown> =>
  ask(live, "thread/backgroundTerminals/clean", { threadId: live.state.threadId }, cleanMs);

type OnThread = Pick<LiveTurn, "server"> & {
  readonly state: { readonly threadId: string; readonly turnId: string };
};

const ask = (
  live: Pick<LiveTurn, "server">,
  method: string,
  params: object,
  timeoutMs: number,
): Promise<unknown> =>
  live.server
    .request(method, params, { signal: new AbortController().signal, timeoutMs })
    .catch(() => undefined);
