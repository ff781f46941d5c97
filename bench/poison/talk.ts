import { type SessionId, newId } from "../../src/core/ids.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { World } from "./world.ts";
import { asOwner, send } from "../../test/owners-host.ts";

export type Said = {
  readonly text: string;
  readonly session?: SessionId;
  readonly surface?: string;
  /** Whose words it is where they were not typed. */
  readonly account?: string;
  readonly runtime?: string;
};

export type Told = { readonly session: SessionId; readonly outcome: string; readonly fault: string };

/** One turn, with nobody to ask. */
export async function say({ host, cwd }: World, said: Said): Promise<Told> {
  const { text, surface = "cli", account = "", runtime } = said;
  const id = said.session ?? newId("ses", systemClock.now());
  const known = await asOwner(host)
    .call("sessions.get", { session: id })
    .then(
      (session) => session.id,
      () => ({ id, cwd, surface, audience: "owner" as const }),
    );
  const sent = await send(host, {
    key: { surface, account, chat: id, messageId: crypto.randomUUID() },
    session: known,
    input: [{ type: "text", text }],
    whenBusy: "queue",
    attended: "none",
    ...(runtime === undefined ? {} : { choices: { runtime } }),
  });
  const ended = await sent.ended;
  return { session: id, outcome: ended?.outcome ?? "never", fault: ended?.fault?.message ?? "" };
}
