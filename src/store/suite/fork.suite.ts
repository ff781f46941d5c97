import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type SessionId, asId } from "../../core/ids.ts";
import { StaleLeaseError, type Store } from "../store.ts";
import { approval, grant } from "./asking-world.suite.ts";
import { compaction } from "./compactions.suite.ts";
import { spoken } from "./undo.suite.ts";
import { cost } from "./usage.suite.ts";
import {
  type Open,
  admission,
  done,
  everything,
  newSession,
  nextTurn,
  nobodyIsGone,
  owner,
  said,
  startTurn,
  reply,
} from "./world.suite.ts";

const forked = asId<"ses">("ses_forked");

/** What models are given of a session, with borders as counts of rows. */
async function given(store: Store, session: SessionId): Promise<unknown> {
  const turns = (await store.sessions.turns(session)).filter(
    ({ state, undone }) => state !== "open" && !undone,
  );
  const places = new Map(turns.map(({ id }, at) => [id, at]));
  const rows = (await store.sessions.messages(session)).filter(({ turn }) => places.has(turn));
  const upTo = (border: number) => rows.filter(({ seq }) => seq <= border).length;
  const compactions = await store.compactions.list(session);
  return {
    turns: turns.map(({ id: _i, session: _s, inbox: _b, epoch: _e, side: _o, ...rest }) => rest),
    items: await Promise.all(turns.map(({ id }) => store.turns.items(id))),
    rows: rows.map(({ seq: _seq, turn, ...rest }) => ({ ...rest, turn: places.get(turn) })),
    compactions: compactions.map(({ id: _id, session: _session, previous, ...rest }) => ({
      ...rest,
      upTo: upTo(rest.upTo),
      seen: upTo(rest.seen),
      previous: previous === undefined ? undefined : compactions.findIndex(({ id }) => id === previous),
    })),
    pins: await store.compactions.pins(session),
  };
}

/** A session with all that can be in one. */
async function rich(store: Store) {
  const first = await startTurn(store, "hello 0", {
    title: "T",
    runtime: "codex",
    model: "m",
    effort: "low",
    surface: "tui",
  });
  const { lease, session } = first;
  const parts = [
    { type: "text", text: "a picture" },
    { type: "image", name: "a.png", mediaType: "image/png", base64: "AA==" },
  ] as const;
  await store.turns.keep(
    lease,
    first.turn,
    said("a"),
    [
      {
        role: "assistant",
        content: "",
        toolCalls: [{ id: "c", name: "t", arguments: "{}" }],
        reasoning: "r",
      },
      { role: "tool", toolCallId: "c", content: "hello" },
    ],
    3,
  );
  await store.turns.describe(lease, first.turn, { model: "m", side: { thread: "thread-1" } });
  const usage = [cost({ session, turn: first.turn })];
  await store.turns.end(lease, first.turn, done, 4, { replies: [], tell: false, usage });
  await store.approvals.add(approval(first), owner());
  await store.grants.add(grant(session));
  const gone = await nextTurn(store, lease, "hello taken back");
  await store.turns.end(lease, gone.turn, done, 5, { replies: [], tell: false });
  await store.turns.undo(lease, [gone.turn]);
  const { row } = await store.inbox.admit(admission(session, { input: parts }));
  const second = asId<"trn">("trn_second");
  await store.turns.open(lease, { id: second, inbox: row.id, runtime: "loop", cwd: "/b", at: 6 });
  const fault = { code: "auth", message: "no key", next: "set one" } as const;
  const failed = { ...done, outcome: "failed", fault } as const;
  const replies = [reply("b")];
  await store.turns.end(lease, second, failed, 7, { replies, tell: true });
  const seqs = (await store.sessions.messages(session)).map(({ seq }) => seq);
  const one = await store.compactions.add(
    lease,
    compaction({ upTo: seqs[0]!, seen: seqs[1]!, summary: "S" }),
  );
  await store.compactions.add(
    lease,
    compaction({ upTo: seqs[3]!, seen: seqs[4]!, summary: "S2", pinned: ["p"], previous: one.id }),
  );
  for (const line of ["b", "a"]) await store.compactions.pin(lease, line);
  await store.bindings.save(lease, "codex", "/work", "thread-1");
  return { session, lease };
}

export const forkTests = (open: Open): void => {
  describe("fork", () => {
    test("begins a session with all that models are given of another, which stays as it was", async () => {
      await using opened = await open();
      const { store } = opened;
      const { session, lease } = await rich(store);
      const before = await given(store, session);
      const made = await store.sessions.fork(lease, { id: forked, at: 90, title: "T (fork)" });
      const original = await store.sessions.get(session);
      assert.deepEqual(made, {
        ...original,
        id: forked,
        title: "T (fork)",
        createdAt: 90,
        updatedAt: 90,
      });
      const again = await opened.reopen();
      assert.deepEqual(await given(again, forked), before);
      assert.deepEqual(await given(again, session), before);
    });

    test("up to a turn it has nothing of what came after: no row, no summary of one, no mark taken off", async () => {
      await using opened = await open();
      const { store } = opened;
      const { lease, session, turns } = await spoken(store, 4, { mark: "ephemeral" });
      const rows = await store.sessions.messages(session);
      const endOf = (turn: number) => rows.findLast((row) => row.turn === turns[turn])?.seq ?? 0;
      const kept = compaction({ upTo: endOf(0), seen: endOf(3), summary: "S1" });
      const left = compaction({ upTo: endOf(2), seen: endOf(3), summary: "S2" });
      for (const one of [kept, left]) await store.compactions.add(lease, one);
      await nextTurn(store, lease, "still open");
      const made = await store.sessions.fork(lease, { id: forked, at: 90, upTo: turns[1]! });
      assert.equal(made?.mark, "ephemeral");
      const copies = (await store.sessions.messages(forked)).map(({ message }) => message);
      const upTo = rows.filter(({ seq }) => seq <= endOf(1)).map(({ message }) => message);
      assert.deepEqual(copies, upTo);
      assert.deepEqual(
        (await store.compactions.list(forked)).map(({ summary }) => summary),
        ["S1"],
      );
      const nobody = { id: newSession().id, at: 91, upTo: asId<"trn">("trn_nobody") };
      assert.equal(await store.sessions.fork(lease, nobody), undefined);
    });

    test("leaves costs, questions, grants, bindings, replies and news where they are", async () => {
      await using opened = await open();
      const { store } = opened;
      const { session, lease } = await rich(store);
      const spent = await store.usage.sum({});
      await store.sessions.fork(lease, { id: forked, at: 90 });
      assert.deepEqual(await store.usage.sum({}), spent);
      assert.equal((await store.usage.sum({ session: forked })).rows, 0);
      assert.deepEqual(await store.approvals.list({ limit: 9, session: forked }), []);
      assert.deepEqual(await store.grants.list({ session: forked }), []);
      assert.equal(await store.bindings.load(forked, "codex", "/work"), undefined);
      assert.equal((await store.outbox.inState("pending")).length, 1);
      assert.deepEqual(await store.turns.takeUnreported(forked), []);
      assert.equal((await store.turns.takeUnreported(session)).length, 1);
      const turns = await store.sessions.turns(forked);
      assert.deepEqual(
        turns.map(({ side, epoch }) => [side, epoch]),
        turns.map(() => [undefined, 0]),
      );
    });

    test("has inputs of its own, none of which waits or is known by its old key", async () => {
      await using opened = await open();
      const { store } = opened;
      const { session, lease } = await rich(store);
      await store.inbox.admit(admission(session));
      const waiting = await store.inbox.inState("waiting");
      await store.sessions.fork(lease, { id: forked, at: 90 });
      await store.sessions.fork(lease, { id: asId<"ses">("ses_twice"), at: 91 });
      assert.deepEqual(await store.inbox.inState("waiting"), waiting);
      const inputs = await store.inbox.inState("started", forked);
      const turns = await store.sessions.turns(forked);
      assert.deepEqual(
        inputs.map(({ id, turn }) => [id, turn]),
        turns.map(({ id, inbox }) => [inbox, id]),
      );
      assert.ok(inputs.every(({ key }) => key.surface === "fork"));
      await store.sessions.delete(session);
      assert.equal((await store.sessions.turns(forked)).length, 2, "each can be deleted alone");
      const words = await store.search({ text: "picture", limit: 9, session: forked });
      assert.equal(words.length, 1);
    });

    test("goes on by itself: a turn in it is not in the other", async () => {
      await using opened = await open();
      const { store } = opened;
      const { session, lease } = await rich(store);
      await store.sessions.fork(lease, { id: forked, at: 90 });
      const own = await store.leases.acquire(forked, owner(2), 91, nobodyIsGone);
      assert.ok("lease" in own);
      const before = await given(store, session);
      const turn = await nextTurn(store, own.lease, "only here");
      await store.turns.end(own.lease, turn.turn, done, 92, { replies: [], tell: false });
      const [, , last] = await store.sessions.turns(forked);
      assert.equal(last?.id, turn.turn);
      assert.deepEqual(await given(store, session), before);
    });

    test("is found once: where it was said, and in the copy when that is gone or asked for", async () => {
      await using opened = await open();
      const { store } = opened;
      const { session, lease } = await spoken(store, 2);
      await store.sessions.fork(lease, { id: forked, at: 90 });
      const own = await store.leases.acquire(forked, owner(2), 91, nobodyIsGone);
      assert.ok("lease" in own);
      const again = asId<"ses">("ses_forked_again");
      await store.sessions.fork(own.lease, { id: again, at: 92 });
      const text = (await store.sessions.messages(session))[0]?.message.content;
      assert.ok(typeof text === "string");
      const found = async (query: object = {}): Promise<readonly SessionId[]> => {
        const hits = await store.search({ text, limit: 10, ...query });
        return [...new Set(hits.map((hit) => hit.session))];
      };
      assert.deepEqual(await found(), [session]);
      assert.deepEqual(await found({ session: forked }), [forked]);
      await store.sessions.delete(session);
      assert.deepEqual((await found()).toSorted(), [forked, again].toSorted());
    });

    test("does not take an open turn along, and makes nothing of nothing", async () => {
      await using opened = await open();
      const { store } = opened;
      const { lease, session, turns } = await spoken(store, 1);
      await nextTurn(store, lease, "still open");
      await store.sessions.fork(lease, { id: forked, at: 90 });
      assert.equal((await store.sessions.turns(forked)).length, 1);
      await store.turns.undo(lease, turns);
      const before = await everything(store);
      assert.equal(await store.sessions.fork(lease, { id: newSession().id, at: 91 }), undefined);
      assert.deepEqual(await everything(store), before);
      await store.leases.acquire(session, owner(2), 90_000, nobodyIsGone);
      await assert.rejects(store.sessions.fork(lease, { id: newSession().id, at: 92 }), StaleLeaseError);
    });
  });
};
