import type { Envelope } from "../../src/core/events.ts";
import type { Host } from "../../src/core/host.ts";
import type { Job } from "./job.ts";

/** Sends one input after the other, each when the one before it has ended. */
export async function talk(
  host: Host,
  { session: id, cwd, inputs }: Job,
  heard: { onAcked(text: string): void; onEvent(event: Envelope): void },
): Promise<void> {
  host.subscribe(id, heard.onEvent);
  for (const text of inputs) {
    const session = await host.sessions.get(id).then(
      () => id,
      () => ({ id, cwd, surface: "cli", runtime: "codex" }),
    );
    const key = { surface: "cli", account: "", chat: "codex-kill", messageId: text };
    const input = [{ type: "text" as const, text }];
    const sent = await host.send({ key, session, input, whenBusy: "queue", attended: "all" });
    heard.onAcked(text);
    await sent.ended;
  }
}
