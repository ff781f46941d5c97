import assert from "node:assert/strict";
import { test } from "node:test";
import { input, sessionOf } from "../../test/fakes/test-agent.ts";
import type { EndedEnvelope } from "../core/events.ts";
import type { Incoming, Sent } from "../core/host.ts";
import { newId } from "../core/ids.ts";
import { systemClock } from "../lib/clock.ts";
import type { Store } from "../store/store.ts";
import { type SendingParts, sending } from "./sending.ts";

/** What is done beside an input, in its order. */
async function done(
  incoming: Incoming,
  also: Partial<Pick<SendingParts, "stays" | "wantsTitles">> & { readonly busy?: boolean } = {},
): Promise<readonly string[]> {
  const { busy = false, ...wishes } = also;
  const said: string[] = [];
  const session = sessionOf(incoming);
  const ended = { outcome: "done", turn: newId("trn", 1) } as EndedEnvelope;
  const send = sending({
    agent: {
      send: async () => {
        said.push("send");
        return { session, inbox: newId("inb", 1), state: "running", ended: Promise.resolve(ended) } as Sent;
      },
      isBusy: () => busy,
    },
    titling: { after: async () => void said.push("title"), [Symbol.dispose]() {} },
    reviews: {
      after: (_session, { outcome }) => void said.push(`review ${outcome}`),
      // One that does not end keeps nobody waiting.
      cancel: () => {
        said.push("cancel");
        return new Promise(() => {});
      },
      now: async () => "",
      isReview: () => false,
      async [Symbol.asyncDispose]() {},
    },
    known: { after: () => {} },
    store: { learnedUses: { add: async () => {} } as unknown as Store["learnedUses"] },
    clock: systemClock,
    named: (same) => same,
    stays: true,
    wantsTitles: false,
    ...wishes,
  });
  await (
    await send(incoming)
  ).ended;
  await Promise.resolve();
  return said;
}

const known = newId("ses", 1);

test("an input ends a review of its session without waiting for it, and is followed by one", async () => {
  assert.deepEqual(await done(input("hi", { session: known })), ["cancel", "send", "review done"]);
  assert.deepEqual(await done(input("hi"), { wantsTitles: true }), ["send", "title", "review done"]);
});

test("nothing is reviewed by a program that ends with the turn, without memory, or when more was said", async () => {
  assert.deepEqual(await done(input("hi"), { stays: false }), ["send"]);
  assert.deepEqual(await done(input("hi", { choices: { memory: false } })), ["send"]);
  assert.deepEqual(await done(input("hi"), { busy: true }), ["send"]);
});
