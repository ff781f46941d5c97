import type { Clock } from "../../lib/clock.ts";
import { RpcError } from "../../lib/rpc/rpc-message.ts";
import type { LiveTurn } from "./live-turn.ts";

/** Codex owes the end of an interrupted turn within this time. */
export const interruptMs = 5_000;
const cleanMs = 2_000;

/**
 * Asks codex to end the turn. Whatever comes of it is seen in the feed. Codex knows a turn only some milliseconds after it has named
 * it, and refuses until then: so it is asked again, until that is `over`, or can be no longer the reason.
 */
export async function interrupt(
  { server, state }: OnThread,
  clock: Clock,
  over?: AbortSignal,
): Promise<void> {
  const { signal } = new AbortController();
  const params = { threadId: state.threadId, turnId: state.turnId };
  for (let tries = 0; tries < mostTries; tries += 1) {
    try {
      return void (await server.request("turn/interrupt", params, { signal, timeoutMs: interruptMs }));
    } catch (error) {
      if (!(error instanceof RpcError)) return; // it does not answer, or is gone: the feed says more
    }
    try {
      await clock.sleep(againMs, over);
    } catch {
      return; // it is over
    }
  }
}

const [againMs, mostTries] = [10, 200];

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
