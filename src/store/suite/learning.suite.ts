import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type SessionId, newId } from "../../core/ids.ts";
import type { Revision } from "../../core/learning.ts";
import type { Store } from "../store.ts";
import {
  type Open,
  type OpenedTurn,
  admission,
  done,
  hold,
  newSession,
  owner,
  startTurn,
} from "./world.suite.ts";

const revision = (also: Partial<Revision> = {}): Revision => ({
  id: newId("rev", also.at ?? 1),
  at: 1,
  kind: "memory",
  file: "memories/USER.md",
  by: "agent",
  evidence: ["I use tabs"],
  trusted: true,
  state: "writing",
  summary: "USER.md: uses tabs",
  change: { action: "add", content: "uses tabs" },
  after: "uses tabs",
  ...also,
});

const callItem = (id: string): never =>
  ({ id, kind: "call", tool: "terminal", args: {}, ok: true, output: "" }) as never;
const reviewOf = ({ session, turn }: OpenedTurn) => ({ session, kind: "memory" as const, upTo: turn, at: 1 });
const hasTabs = (text: string): boolean => text.includes("tabs");

/** A turn with so many calls that was begun then, in this folder. */
const turnAt = async (store: Store, at: number, calls: number, cwd = "/work", parent?: SessionId) => {
  const session = newSession({ cwd, ...(parent === undefined ? {} : { parent }) });
  const lease = await hold(store, session.id);
  const { row } = await store.inbox.admit(admission(session));
  const turn = newId("trn", at);
  await store.turns.open(lease, { id: turn, inbox: row.id, runtime: "loop", cwd, at });
  for (let each = 0; each < calls; each++)
    await store.turns.keep(lease, turn, callItem(`${turn}-${each}`), [], at);
  await store.turns.end(lease, turn, done, at + 1, { replies: [], tell: false });
  return { session: session.id, turn };
};

export const learningTests = (open: Open): void => {
  describe("revisions", () => {
    test("one is kept whole, and settled once", async () => {
      await using opened = await open();
      const { revisions } = opened.store;
      const one = revision({ session: newId("ses", 1), turn: newId("trn", 1), before: "", trusted: false });
      await revisions.add(one);
      assert.deepEqual(await revisions.find(one.id.slice(0, 12)), [one]);
      assert.equal(await revisions.settle(one.id, "proposed", { state: "active", at: 2 }), false);
      const active = { state: "active", at: 2, by: "you", after: "uses tabs!" } as const;
      assert.equal(await revisions.settle(one.id, "writing", active), true);
      assert.equal(await revisions.settle(one.id, "writing", { state: "failed", at: 3 }), false);
      const again = await opened.reopen();
      assert.deepEqual(await again.revisions.list({ limit: 5 }), [
        { ...one, state: "active", after: "uses tabs!", decidedAt: 2, decidedBy: "you" },
      ]);
      await assert.rejects(again.revisions.settle(one.id, "active", { state: "rejected", at: 4 }));
    });

    test("a list is filtered, newest first", async () => {
      await using opened = await open();
      const { revisions } = opened.store;
      const all = [
        revision({ at: 1 }),
        revision({ at: 2, kind: "skill", file: "skills/a/SKILL.md", state: "proposed" }),
        revision({ at: 3, state: "active" }),
      ];
      for (const one of all) await revisions.add(one);
      const times = async (filter: object) =>
        (await revisions.list({ limit: 9, ...filter })).map(({ at }) => at);
      assert.deepEqual(await times({}), [3, 2, 1]);
      assert.deepEqual(await times({ limit: 1 }), [3]);
      assert.deepEqual(await times({ since: 2 }), [3, 2]);
      assert.deepEqual(await times({ states: ["proposed", "active"] }), [3, 2]);
      assert.deepEqual(await times({ kind: "skill" }), [2]);
      assert.deepEqual(await times({ file: "memories/USER.md" }), [3, 1]);
      await revisions.settle(all[0]!.id, "writing", { state: "active", at: 4 });
      assert.deepEqual(await times({ since: 3 }), [3, 1], "also what was decided since then");
    });

    test("the latest of a file is the one that was decided last, and no file is said by null", async () => {
      await using opened = await open();
      const { revisions } = opened.store;
      const [old, young] = [
        revision({ at: 1, state: "proposed", before: "b" }),
        revision({ at: 5, state: "active" }),
      ];
      for (const one of [old, young, revision({ at: 9 })]) await revisions.add(one);
      assert.equal((await revisions.latest(old.file))?.id, young.id);
      await revisions.settle(old.id, "proposed", { state: "writing", at: 7, before: null });
      await revisions.settle(old.id, "writing", { state: "active", at: 8 });
      const { before: _none, ...rest } = old;
      assert.deepEqual(await revisions.latest(old.file), { ...rest, state: "active", decidedAt: 8 });
      assert.equal(await revisions.latest("skills/a/SKILL.md"), undefined);
    });

    test("what is forgotten leaves no text", async () => {
      await using opened = await open();
      const one = revision({ state: "active", before: "tabs before" });
      await opened.store.revisions.add(one);
      await opened.store.revisions.forget([one.id]);
      const [left] = await opened.store.revisions.list({ limit: 1 });
      assert.doesNotMatch(JSON.stringify(left), /tabs/);
      assert.deepEqual([left?.id, left?.file], [one.id, one.file]);
      await opened.store.revisions.forget([one.id], [one.id]);
      const [nameless] = await opened.store.revisions.list({ limit: 1 });
      assert.deepEqual([nameless?.id, nameless?.file], [one.id, "(forgotten)"]);
    });
  });

  describe("reviews", () => {
    test("one runs until it is ended, once, and goes with its session", async () => {
      await using opened = await open();
      const { store } = opened;
      const { session, turn } = await startTurn(store);
      const begun = { session, kind: "memory", upTo: turn, at: 7 } as const;
      const id = await store.reviews.begin(begun, owner());
      assert.deepEqual(await store.reviews.list(session), [
        { ...begun, state: "running", tokens: 0, owner: owner() },
      ]);
      await store.reviews.end(id, { state: "done", tokens: 12, result: "nothing" });
      await store.reviews.end(id, { state: "failed", tokens: 13 });
      const ended = { ...begun, state: "done", tokens: 12, result: "nothing", owner: owner() };
      assert.deepEqual(await store.reviews.list(session), [ended]);
      await store.sessions.delete(session);
      assert.deepEqual(await store.reviews.list(session), []);
    });
  });

  describe("uses of what was learned", () => {
    test("are counted once for each turn, with how the turns ended and what they called", async () => {
      await using opened = await open();
      const { store } = opened;
      const { session, turn, lease } = await startTurn(store);
      const call = { id: "c1", kind: "call", tool: "terminal", args: {}, ok: true, output: "" } as never;
      await store.turns.keep(lease, turn, call, [], 2);
      const use = { kind: "skill", name: "deploy", session, turn, at: 3 } as const;
      await store.learnedUses.add([use, use, { ...use, name: "other", kind: "memory" }]);
      await store.turns.end(lease, turn, done, 4, { replies: [], tell: false });
      const sum = { kind: "skill", name: "deploy", uses: 1, first: 3, last: 3, done: 1, failed: 0, calls: 1 };
      assert.deepEqual(await store.learnedUses.sums("skill"), [sum]);
      await store.learnedUses.forget("skill", "deploy");
      assert.deepEqual(await store.learnedUses.sums("skill"), []);
      assert.equal((await store.learnedUses.sums("memory")).length, 1);
    });
  });

  describe("turns with and without something learned", () => {
    test("are compared in the same folder, as many as had it", async () => {
      await using opened = await open();
      const { store } = opened;
      for (const [at, calls] of [
        [1, 9],
        [2, 8],
        [3, 7],
      ] as const)
        await turnAt(store, at, calls);
      await turnAt(store, 4, 50, "/elsewhere");
      const first = await turnAt(store, 20, 1);
      const second = await turnAt(store, 21, 2);
      await turnAt(store, 5, 70, "/work", first.session);
      const use = { kind: "skill", name: "deploy", at: 20 } as const;
      await store.learnedUses.add([
        { ...use, ...first },
        { ...use, ...second },
      ]);
      const of = { kind: "skill", name: "deploy", learnedAt: 10, most: 100 } as const;
      assert.deepEqual(await store.learnedUses.compare(of), {
        having: { turns: 2, calls: 3 },
        before: { turns: 2, calls: 15 },
      });
      assert.deepEqual((await store.learnedUses.compare({ ...of, most: 1 })).having, { turns: 1, calls: 2 });
      assert.deepEqual((await store.learnedUses.compare({ ...of, learnedAt: 2 })).before, {
        turns: 1,
        calls: 9,
      });
      const none = { turns: 0, calls: 0 };
      assert.deepEqual(await store.learnedUses.compare({ ...of, name: "other" }), {
        having: none,
        before: none,
      });
    });

    test("are counted by the day on which they began", async () => {
      await using opened = await open();
      const { store } = opened;
      const day = 86_400_000;
      await turnAt(store, day - 1, 5);
      const used = await turnAt(store, day, 1);
      await turnAt(store, 3 * day + 7, 2);
      const use = { kind: "memory", at: day, ...used } as const;
      await store.learnedUses.add([
        { ...use, name: "a" },
        { ...use, name: "b" },
      ]);
      assert.deepEqual(await store.learnedUses.days(day), [
        { day: "1970-01-02", turns: 1, calls: 1, uses: 2 },
        { day: "1970-01-04", turns: 1, calls: 2, uses: 0 },
      ]);
    });
  });

  describe("what reviews and snapshots say", () => {
    test("goes where it is so, and stays elsewhere", async () => {
      await using opened = await open();
      const { store } = opened;
      const [one, two] = [await startTurn(store), await startTurn(store)];
      await store.snapshots.keep(one.session, "uses tabs");
      await store.snapshots.keep(two.session, "likes tea");
      for (const [of, result] of [
        [one, "learned: uses tabs"],
        [two, "nothing"],
      ] as const) {
        const id = await store.reviews.begin(reviewOf(of), owner());
        await store.reviews.end(id, { state: "done", tokens: 1, result });
      }
      await store.reviews.forget(hasTabs);
      assert.deepEqual(await store.snapshots.forget(hasTabs), [one.session]);
      assert.equal(await store.snapshots.get(one.session), undefined);
      assert.equal(await store.snapshots.get(two.session), "likes tea");
      assert.equal((await store.reviews.list(one.session))[0]?.result, undefined);
      assert.equal((await store.reviews.list(two.session))[0]?.result, "nothing");
    });
  });

  describe("snapshots", () => {
    test("the first one stays, whoever comes second", async () => {
      await using opened = await open();
      const { session } = await startTurn(opened.store);
      assert.equal(await opened.store.snapshots.get(session), undefined);
      assert.equal(await opened.store.snapshots.keep(session, "first"), "first");
      assert.equal(await (await opened.another()).snapshots.keep(session, "second"), "first");
      assert.equal(await opened.store.snapshots.get(session), "first");
    });
  });
};
