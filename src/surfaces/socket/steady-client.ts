import type { Calls, InputOf, OperationName } from "../../core/calls.ts";
import { FaultError } from "../../core/faults.ts";
import type { Acknowledged, OpenClient } from "../../core/host.ts";
import type { EndedEnvelope } from "../../core/events.ts";
import type { InboxId } from "../../core/ids.ts";
import { PeerClosedError } from "../../lib/rpc/rpc-peer.ts";
import { operationNamed } from "../../operations/table.ts";
import type { SocketClient } from "./client.ts";
import { followOn, logOn } from "./follow-on.ts";
import { type Again, type ReplaceableHost, replaceableHost } from "./replaceable-host.ts";

/** What may be asked twice, besides what only looks: the second time it finds that it was done. */
const askedTwice: ReadonlySet<OperationName> = new Set<OperationName>([
  "turns.stop",
  "inputs.drop",
  "processes.end",
  "approvals.answer",
  "inquiries.reply",
  "sessions.choose",
  "sessions.rename",
  "batch.line",
]);

type Sending = InputOf<"turns.send">;

/**
 * A client that outlives its host. When the connection is lost it is opened `again`, elsewhere: what was only asked is asked again,
 * a message is sent again under its own name and recognised, and what is followed goes on behind what was seen. Of what else was
 * under way nobody can say whether it was done, and that is said.
 */
export function steadyClient(first: SocketClient, again: Again): OpenClient {
  const host = replaceableHost(first, again);
  const messages = sentMessages(host);
  const dispatch = (name: OperationName, input: unknown, signal: AbortSignal | undefined): unknown => {
    if (name === "turns.send") return messages.send(input as Sending, signal);
    if (name === "turns.wait") return messages.wait(input as InputOf<"turns.wait">, signal);
    if (name === "sessions.follow") return followOn(host, input as InputOf<"sessions.follow">, signal);
    if (name === "events.follow") return logOn(host, input as InputOf<"events.follow">, signal);
    const operation = operationNamed.get(name);
    const ask = (client: OpenClient) => client.call(name, input as never, signal) as Promise<unknown>;
    if (operation?.stream === true) return told(host.current().then(ask), name);
    if (operation?.scope === "read" || askedTwice.has(name)) return host.attempt(ask);
    return host.attempt(ask, "once").catch((error: unknown) => lostWith(error, name));
  };
  return {
    call: (name, input, signal) => dispatch(name, input, signal) as ReturnType<Calls[typeof name]>,
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  };
}

/** Messages, and the turns that take them. */
function sentMessages({ attempt, waited, isClosed }: ReplaceableHost) {
  const sent = new Map<InboxId, Sending>();
  return {
    async send(input: Sending, signal: AbortSignal | undefined): Promise<Acknowledged> {
      const taken = await attempt(async (client, isAgain) => {
        const answer = await client.call("turns.send", input, signal);
        return isAgain && answer.state === "duplicate" ? revive(client, input, answer) : answer;
      });
      sent.set(taken.inbox, input);
      return taken;
    },
    async wait(
      { inbox }: InputOf<"turns.wait">,
      signal: AbortSignal | undefined,
    ): Promise<EndedEnvelope | null> {
      using _ = waited();
      const ended = await attempt(async (client, isAgain) => {
        const known = sent.get(inbox);
        if (!isAgain || known === undefined) return client.call("turns.wait", { inbox }, signal);
        const session = typeof known.session === "string" ? known.session : known.session.id;
        const now = await revive(client, known, { session, inbox, state: "duplicate" });
        return client.call("turns.wait", { inbox: now.inbox }, signal);
      }).catch((error: unknown) => {
        // Whoever has closed everything does not wait any more.
        if (isClosed() && error instanceof PeerClosedError) return null;
        throw error;
      });
      sent.delete(inbox);
      return ended;
    },
  };
}

/** It was taken in and not begun when the host went, so it was set aside: whoever waits for it has it sent. */
async function revive(client: OpenClient, input: Sending, taken: Acknowledged): Promise<Acknowledged> {
  const aside = await client.call("inputs.setAside", { session: taken.session });
  if (!aside.some(({ id }) => id === taken.inbox)) return taken;
  const key = { ...input.key, messageId: `${input.key.messageId} again` };
  return client.call("turns.send", { ...input, key, session: taken.session, again: taken.inbox });
}

async function* told(values: Promise<unknown>, name: OperationName): AsyncGenerator<unknown, void, void> {
  try {
    yield* (await values) as AsyncIterable<unknown>;
  } catch (error) {
    lostWith(error, name);
  }
}

function lostWith(error: unknown, name: OperationName): never {
  if (!(error instanceof PeerClosedError)) throw error;
  const message = `The host went away during ${name}, and nobody can say whether it was done.`;
  throw new FaultError({ code: "lost", message, next: "Look, and do it again if it was not." }, error);
}
