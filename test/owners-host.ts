import { type Principal, localOwner } from "../src/core/principal.ts";
import type { Client, InputOf } from "../src/core/calls.ts";
import type { Host, Incoming, Sent } from "../src/core/host.ts";

/** A host as its owner sees it from a terminal. */
export const asOwner = (host: Pick<Host, "as">): Client => host.as(localOwner("cli"));

/** Sends an input as the owner, from where its key says. `ended` settles with its turn. */
export const send = (host: Pick<Host, "as">, incoming: Omit<Incoming, "from">): Promise<Sent> =>
  sendAs(host, localOwner(incoming.key.surface), incoming);

/** Sends an input as anybody. */
export async function sendAs(
  host: Pick<Host, "as">,
  from: Principal,
  incoming: InputOf<"turns.send">,
): Promise<Sent> {
  const client = host.as(from);
  const sent = await client.call("turns.send", incoming);
  const ended = client.call("turns.wait", { inbox: sent.inbox }).then((end) => end ?? undefined);
  return { ...sent, ended };
}
