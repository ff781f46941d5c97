import type { Clock } from "../../../lib/clock.ts";
import { rpcCodes } from "../../../lib/rpc-message.ts";
import type { RequestFrame } from "./frame.ts";

const patienceMs = 2_000;

/** Requests that are refused soon, so that codex does not wait for ever for somebody who does not come. */
export type Refusals = {
  /** `onRefused` is called before codex is told. */
  add(request: RequestFrame, onRefused: () => void): void;
  /** Somebody came. */
  cancel(request: RequestFrame): void;
};

export function refusals(clock: Clock): Refusals {
  const waiting = new Map<RequestFrame, AbortController>();

  async function refuse(request: RequestFrame, taken: AbortSignal, onRefused: () => void): Promise<void> {
    try {
      await clock.sleep(patienceMs, taken);
    } catch {
      return;
    }
    waiting.delete(request);
    onRefused();
    request.fail(rpcCodes.internalError, "Nobody here works on that thread.");
  }

  return {
    add(request, onRefused) {
      const taken = new AbortController();
      waiting.set(request, taken);
      void refuse(request, taken.signal, onRefused);
    },
    cancel(request) {
      waiting.get(request)?.abort();
      waiting.delete(request);
    },
  };
}
