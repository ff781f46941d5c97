import type { EndedEnvelope, Envelope } from "../../src/core/events.ts";
import type { Host } from "../../src/core/host.ts";
import type { Job } from "./job.ts";
import { asOwner, send } from "../../test/owners-host.ts";

export type Ears = {
  readonly onAcked: (text: string) => void;
  readonly onEvent: (event: Envelope) => void;
};

/** Sends one input after the other, each when the one before it has ended. Resolves with the end of the last one. */
export async function talk(
  host: Host,
  { session: id, cwd, inputs }: Pick<Job, "session" | "cwd" | "inputs">,
  { onAcked, onEvent }: Ears,
): Promise<EndedEnvelope | undefined> {
  const leave = host.subscribe(id, onEvent);
  let ended: EndedEnvelope | undefined;
  for (const text of inputs) {
    const session = await asOwner(host)
      .call("sessions.get", { session: id })
      .then(
        () => id,
        () => ({ id, cwd, surface: "cli", audience: "owner" as const, runtime: "codex" }),
      );
    const key = { surface: "cli", account: "", chat: "codex-kill", messageId: text };
    const input = [{ type: "text" as const, text }];
    const sent = await send(host, { key, session, input, whenBusy: "queue", attended: "all" });
    onAcked(text);
    ended = await sent.ended;
  }
  leave();
  return ended;
}
