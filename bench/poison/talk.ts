import { type SessionId, newId } from "../../src/core/ids.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { type Principal, localOwner } from "../../src/core/principal.ts";
import type { World } from "./world.ts";
import { asOwner, sendAs } from "../../test/owners-host.ts";

export type Said = {
  readonly text: string;
  readonly session?: SessionId;
  /** The owner at this machine unless it says so. */
  readonly from?: Principal;
  /** Whose words it is where they were not typed. */
  readonly account?: string;
  readonly runtime?: string;
};

export type Told = { readonly session: SessionId; readonly outcome: string; readonly fault: string };

/** One turn, with nobody to ask. */
export async function say({ host, cwd }: World, said: Said): Promise<Told> {
  const { text, from = localOwner("cli"), account = "", runtime } = said;
  const { surface, role } = from;
  const audience = role === "owner" ? "owner" : "members";
  const id = said.session ?? newId("ses", systemClock.now());
  const known = await asOwner(host)
    .call("sessions.get", { session: id })
    .then(
      (session) => session.id,
      () => ({ id, surface, audience, ...(role === "owner" ? { cwd } : {}) }) as const,
    );
  const sent = await sendAs(host, from, {
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
