import assert from "node:assert/strict";
import { test } from "node:test";
import type { OutboxState } from "../../core/gateway/tables.ts";
import { StaleLeaseError, type Store, leaseExpiryMs } from "../store.ts";
import { part, takeBot } from "./gateway-world.suite.ts";
import type { Open } from "./world.suite.ts";

const states: readonly OutboxState[] = ["pending", "sending", "sent", "refused", "ambiguous", "dead"];

/** Where a row may go. What is sent or dead stays so. */
const allowed: Readonly<Record<OutboxState, readonly OutboxState[]>> = {
  pending: ["sending", "refused", "dead"],
  sending: ["pending", "sent", "refused", "ambiguous", "dead"],
  refused: ["pending", "sending", "dead"],
  ambiguous: ["pending", "sent", "dead"],
  sent: [],
  dead: [],
};

const at = 6;

/** A row of a chat of its own that has got into this state. */
async function inState({ outbox }: Store, state: OutboxState, chat: string): Promise<string> {
  const { id } = await outbox.add(part("a", { chat }), 5);
  if (state === "pending") return id;
  if (state === "refused" || state === "dead") {
    await outbox.move(id, ["pending"], state, { at });
    return id;
  }
  await outbox.move(id, ["pending"], "sending", { at });
  if (state !== "sending") await outbox.move(id, ["sending"], state, { at, platformId: "1" });
  return id;
}

export function outboxMoveTests(open: Open): void {
  test("a row moves only from the states that are named, and each sending is counted", async () => {
    await using opened = await open();
    const { outbox } = opened.store;
    const { id } = await outbox.add(part("a"), 5);
    assert.equal(await outbox.move(id, ["sending", "refused"], "dead", { at }), false);
    assert.equal(await outbox.move("obx_none", ["pending"], "dead", { at }), false);
    assert.equal(await outbox.move(id, ["pending", "refused"], "sending", { at }), true);
    assert.equal(await outbox.move(id, ["pending", "refused"], "sending", { at }), false);
    assert.equal(await outbox.move(id, ["sending"], "refused", { at, until: 99, why: "too fast" }), true);
    assert.partialDeepStrictEqual(await outbox.get(id), { state: "refused", until: 99, why: "too fast" });
    assert.equal(await outbox.move(id, ["pending", "refused"], "sending", { at }), true);
    assert.equal(await outbox.move(id, ["sending"], "sent", { at: 8, platformId: "9" }), true);
    const { outbox: again } = await opened.reopen();
    assert.deepEqual(await again.get(id), {
      ...part("a"),
      id,
      part: 0,
      state: "sent",
      attempts: 2,
      at: 5,
      settledAt: 8,
      platformId: "9",
      isOpen: false,
    });
  });

  for (const from of states)
    test(`where a row can go that is ${from}: ${allowed[from].join(", ") || "nowhere"}`, async () => {
      await using opened = await open();
      const { outbox } = opened.store;
      for (const to of states.filter((state) => state !== from)) {
        const id = await inState(opened.store, from, `${from} ${to}`);
        const before = await outbox.get(id);
        const moved = outbox.move(id, [from], to, { at, platformId: "1" });
        if (allowed[from].includes(to)) assert.equal(await moved, true, to);
        else await assert.rejects(moved, /cannot go there|does not change/, to);
        if (!allowed[from].includes(to)) assert.deepEqual(await outbox.get(id), before, to);
      }
    });

  test("nothing is sent without the platform's name for it", async () => {
    await using opened = await open();
    const id = await inState(opened.store, "sending", "1");
    await assert.rejects(opened.store.outbox.move(id, ["sending"], "sent", { at }));
    assert.equal((await opened.store.outbox.get(id))?.state, "sending");
  });

  test("what became of a message does not change by another move", async () => {
    await using opened = await open();
    const { outbox } = opened.store;
    for (const state of ["sent", "dead"] as const) {
      const id = await inState(opened.store, state, state);
      const before = await outbox.get(id);
      await assert.rejects(outbox.move(id, [state], state, { at: 99, platformId: "other", why: "other" }));
      assert.deepEqual(await outbox.get(id), before);
    }
  });

  test("of two who take a row at once, one sends it", async () => {
    await using opened = await open();
    const stores = [opened.store, await opened.another()];
    const { id } = await opened.store.outbox.add(part("a"), 5);
    const took = await Promise.all(
      stores.map((store) => store.outbox.move(id, ["pending"], "sending", { at })),
    );
    assert.deepEqual(took.toSorted(), [false, true]);
    assert.equal((await opened.store.outbox.get(id))?.attempts, 1);
  });

  test("one message at a time is on its way into a chat, whoever sends", async () => {
    await using opened = await open();
    const stores = [opened.store, await opened.another()];
    const { outbox } = opened.store;
    const rows = await Promise.all(["a", "b", "c"].map((words) => outbox.add(part(words), 5)));
    const took = await Promise.all(
      rows.map(({ id }, number) => stores[number % 2]!.outbox.move(id, ["pending"], "sending", { at })),
    );
    assert.deepEqual(took.toSorted(), [false, false, true]);
    const [sending] = await outbox.inState("sending");
    const waiting = await outbox.inState("pending");
    await outbox.move(sending!.id, ["sending"], "ambiguous", { at });
    assert.equal(await outbox.move(waiting[0]!.id, ["pending"], "sending", { at }), true);
    assert.equal(await outbox.move(waiting[1]!.id, ["pending"], "sending", { at }), false);
    for (const also of [{ chat: "77/t" }, { account: "other" }, { surface: "slack" as const }]) {
      const { id } = await outbox.add(part("elsewhere", also), 5);
      assert.equal(await outbox.move(id, ["pending"], "sending", { at }), true);
    }
  });

  test("a bot that another process has taken over moves nothing any more", async () => {
    await using opened = await open();
    const { outbox, leases } = opened.store;
    const lease = await takeBot(opened.store, 1, 0);
    const { id } = await outbox.add(part("a"), 5);
    assert.equal(await outbox.move(id, ["pending"], "sending", { at }, lease), true);
    const other = await opened.another();
    const next = await takeBot(other, 2, leaseExpiryMs + 1);
    await assert.rejects(
      outbox.move(id, ["sending"], "sent", { at, platformId: "1" }, lease),
      StaleLeaseError,
    );
    assert.equal((await other.outbox.get(id))?.state, "sending");
    assert.equal(await other.outbox.move(id, ["sending"], "ambiguous", { at }, next), true);
    await leases.release(next);
    await assert.rejects(outbox.move(id, ["ambiguous"], "dead", { at }, next), StaleLeaseError);
    assert.equal(await outbox.move(id, ["ambiguous"], "pending", { at }), true, "a person needs none");
  });
}
