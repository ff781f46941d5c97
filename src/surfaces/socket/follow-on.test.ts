import assert from "node:assert/strict";
import { test } from "node:test";
import type { FollowedEvent } from "../../core/event-log.ts";
import type { Envelope } from "../../core/events.ts";
import type { OpenClient } from "../../core/host.ts";
import { asId } from "../../core/ids.ts";
import { localOwner } from "../../core/principal.ts";
import { PeerClosedError } from "../../lib/rpc/rpc-peer.ts";
import type { SocketClient } from "./client.ts";
import { steadyClient } from "./steady-client.ts";

const session = asId<"ses">("ses_1");
const [mine, theirs] = [asId<"trn">("trn_1"), asId<"trn">("trn_2")];
const header = { v: 1, seq: 1, session } as const;

const started = (turn = mine): Envelope => ({
  ...header,
  turn,
  type: "started",
  runtime: "loop",
  model: "m",
  cwd: "/",
});
const ended = (turn = mine): Envelope => ({
  ...header,
  turn,
  type: "ended",
  outcome: "interrupted",
  text: "",
  calls: 0,
});
const said = (turn = mine): Envelope => ({
  ...header,
  turn,
  type: "said",
  from: localOwner("tui"),
  input: [],
});
const marked = (event: Envelope): Envelope => ({ ...event, elsewhere: true });

/** What is told of a session by a host that then goes, and by the next one. */
async function told(first: readonly Envelope[], next: readonly Envelope[]): Promise<readonly string[]> {
  const lost = {
    welcome: { version: "1", cursor: "" },
    call: async function* () {
      yield* first;
      throw new PeerClosedError("it was killed");
    },
    [Symbol.asyncDispose]: async () => {},
  };
  const other = {
    call: async function* (name: string): AsyncGenerator<Envelope | FollowedEvent> {
      // Nothing was in the log when it was looked at.
      if (name === "sessions.follow") yield* next;
    },
    [Symbol.asyncDispose]: async () => {},
  };
  await using client = steadyClient(lost as unknown as SocketClient, {
    open: async () => other as unknown as OpenClient,
    onGone: () => {},
  });
  const heard = await Array.fromAsync(client.call("sessions.follow", { session, elsewhere: true }));
  return heard.map((event) => `${event.elsewhere === true ? "there" : "here"} ${event.type} ${event.turn}`);
}

test("a turn that ran in a host that has gone ends as it began, also when another process ends it later", async () => {
  const next = [said(), started(), ended(), said(theirs), started(theirs), ended(theirs)].map(marked);
  assert.deepEqual(await told([started()], next), [
    "here started trn_1",
    "here notice trn_1",
    "here ended trn_1",
    "there said trn_2",
    "there started trn_2",
    "there ended trn_2",
  ]);
});

test("a turn of another process stays one when the host goes that told of it", async () => {
  const first = [said(), started()].map(marked);
  assert.deepEqual(await told(first, [...first, marked(ended())]), [
    "there said trn_1",
    "there started trn_1",
    "here notice trn_1",
    "there ended trn_1",
  ]);
});
