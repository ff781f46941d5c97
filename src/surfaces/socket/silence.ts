import type { InputOf } from "../../core/calls.ts";
import type { Envelope } from "../../core/events.ts";
import { FaultError } from "../../core/faults.ts";
import { asId } from "../../core/ids.ts";
import { type Clock, timeLimit } from "../../lib/clock.ts";
import type { RpcPeer } from "../../lib/rpc/rpc-peer.ts";

/** How often a host is asked whether it is there, and how long it may take to say so. */
const askMs = 2000;
const patienceMs = 3000;

/** Calls back when the host does not answer any more, and when it does again. A host that ends is no silent one. */
export async function watchSilence(
  { request, closed }: Pick<RpcPeer, "request" | "closed">,
  clock: Clock,
  onSilent: () => void,
  onThere: () => void = () => {},
): Promise<void> {
  const over = new AbortController();
  void closed.then(() => over.abort());
  try {
    for (;;) {
      await clock.sleep(askMs, over.signal);
      using limit = timeLimit(clock, patienceMs);
      const answered = request("version", {}, over.signal);
      limit.signal.addEventListener("abort", onSilent, { once: true });
      await answered.finally(() => limit.signal.removeEventListener("abort", onSilent));
      onThere();
    }
  } catch {
    // it is closed
  }
}

/** What rejects a call that is not to wait for a host that may never answer. */
export const silentFault = (pid: number): FaultError =>
  new FaultError({
    code: "lost",
    message: `The host (pid ${pid}) does not answer, so nobody can say whether it was done.`,
    next: endIt(pid),
  });

/** What can be done about it. */
export const endIt = (pid: number): string => `End it if it does not come back: kill -9 ${pid}`;

export const silentHost = (pid: number): string =>
  `The host that runs this (pid ${pid}) does not answer. It goes on as soon as that one does. ${endIt(pid)}`;

/** The same for whoever follows a session. */
export const silentNotice = ({ session }: InputOf<"sessions.follow">, pid: number): Envelope => ({
  v: 1,
  seq: 0,
  session,
  turn: asId<"trn">(""),
  type: "notice",
  code: "host_silent",
  text: silentHost(pid),
});
