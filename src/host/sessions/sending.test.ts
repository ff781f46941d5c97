import assert from "node:assert/strict";
import { test } from "node:test";
import { input, sessionOf } from "../../../test/fakes/test-agent.ts";
import type { EndedEnvelope } from "../../core/events.ts";
import type { Incoming, Sent } from "../../core/host.ts";
import { newId } from "../../core/ids.ts";
import { type SendingParts, sending } from "./sending.ts";

type Wishes = Partial<Pick<SendingParts, "longLived" | "wantsTitles">> & { readonly busy?: boolean };

/** Notes what is done beside an input, in its order. */
const partsOf = (said: string[], send: SendingParts["agent"]["send"], wishes: Wishes = {}): SendingParts => ({
  agent: {
    send: async (incoming) => {
      said.push("send");
      return send(incoming);
    },
    isBusy: () => wishes.busy ?? false,
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
    async [Symbol.asyncDispose]() {},
  },
  learned: { after: () => {} },
  goals: { after: async () => {} },
  withDefaultRuntime: (same) => same,
  longLived: wishes.longLived ?? true,
  wantsTitles: wishes.wantsTitles ?? false,
});

const wasDone = { outcome: "done", turn: newId("trn", 1) } as EndedEnvelope;

const takenIn = (incoming: Incoming, ended: Promise<EndedEnvelope>): Sent =>
  ({ session: sessionOf(incoming), inbox: newId("inb", 1), state: "running", ended }) as Sent;

async function done(incoming: Incoming, wishes: Wishes = {}): Promise<readonly string[]> {
  const said: string[] = [];
  const send = sending(partsOf(said, async (given) => takenIn(given, Promise.resolve(wasDone)), wishes));
  await (
    await send(incoming)
  ).ended;
  await Promise.resolve();
  return said;
}

const known = newId("ses", 1);
const taken = ["cancel", "send", "cancel"];

test("an input ends a review of its session without waiting for it, and is followed by one", async () => {
  assert.deepEqual(await done(input("hi", { session: known })), [...taken, "review done"]);
  assert.deepEqual(await done(input("hi"), { wantsTitles: true }), [...taken, "title", "review done"]);
});

test("it also ends one that began while it was taken in", async () => {
  const said: string[] = [];
  const before = Promise.withResolvers<EndedEnvelope>();
  const send = sending(
    partsOf(said, async (given) => {
      if (said.filter((word) => word === "send").length === 1) return takenIn(given, before.promise);
      // Nobody is busy just now.
      before.resolve(wasDone);
      while (!said.includes("review done")) await Promise.resolve();
      return takenIn(given, new Promise<never>(() => {}));
    }),
  );
  await send(input("one", { session: known }));
  await send(input("two", { session: known }));
  assert.deepEqual(said, [...taken, "cancel", "send", "review done", "cancel"]);
});

test("nothing is reviewed by a program that ends with the turn, without memory, or when more was said", async () => {
  assert.deepEqual(await done(input("hi"), { longLived: false }), taken);
  assert.deepEqual(await done(input("hi", { choices: { memory: false } })), taken);
  assert.deepEqual(await done(input("hi"), { busy: true }), taken);
});
