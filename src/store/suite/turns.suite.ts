import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EndedEvent } from "../../core/events.ts";
import { asId } from "../../core/ids.ts";
import type { CallItem, Item } from "../../core/items.ts";
import type { InputPart, Message } from "../../core/messages.ts";
import { type Lease, StaleLeaseError } from "../store.ts";
import {
  type Open,
  admission,
  done,
  everything,
  hold,
  item,
  newSession,
  nextTurn,
  said,
  startTurn,
  reply,
} from "./world.suite.ts";

const quietly = { replies: [], tell: false } as const;

export function turnTests(open: Open): void {
  describe("turns", () => {
    test("opening a turn starts its input and writes the user's row", async () => {
      await using opened = await open();
      const { store } = opened;
      const session = newSession();
      const lease = await hold(store, session.id);
      const input: readonly InputPart[] = [
        { type: "text", text: "what is this?" },
        { type: "image", name: "cat.png", mediaType: "image/png", base64: "AAEC" },
      ];
      const { row } = await store.inbox.admit(admission(session, { input }));
      const id = asId<"trn">("trn_1");
      const turn = await store.turns.open(lease, { id, inbox: row.id, runtime: "loop", cwd: "/work", at: 8 });
      assert.deepEqual(turn, {
        id,
        session: session.id,
        inbox: row.id,
        epoch: 1,
        runtime: "loop",
        cwd: "/work",
        state: "open",
        startedAt: 8,
      });
      assert.deepEqual(await store.turns.listOpen(), [turn]);
      assert.deepEqual(await store.inbox.get(row.id), { ...row, state: "started", turn: id });
      const [message] = await store.sessions.messages(session.id);
      const { seq, ...rest } = message!;
      assert.ok(seq > 0);
      assert.deepEqual(rest, { turn: id, item: "user", at: 8, message: { role: "user", content: input } });
      assert.equal(
        (await store.search({ text: "cat.png", limit: 1 })).length,
        1,
        "the picture's name is found",
      );
    });

    test("input that is no longer waiting opens nothing", async () => {
      await using opened = await open();
      const { store } = opened;
      const session = newSession();
      const lease = await hold(store, session.id);
      const { row } = await store.inbox.admit(admission(session));
      await store.inbox.move(row.id, "waiting", "kept");
      const before = await everything(store);
      const turn = { id: asId<"trn">("trn_1"), inbox: row.id, runtime: "loop", cwd: "/work", at: 8 };
      assert.equal(await store.turns.open(lease, turn), undefined);
      assert.equal(await store.turns.open(lease, { ...turn, inbox: asId<"inb">("inb_none") }), undefined);
      assert.deepEqual(await everything(store), before);
    });

    test("a session has one open turn at a time", async () => {
      await using opened = await open();
      const { store } = opened;
      const first = await startTurn(store);
      const { row } = await store.inbox.admit(admission(first.session));
      const before = await everything(store);
      const second = { id: asId<"trn">("trn_2"), inbox: row.id, runtime: "loop", cwd: "/work", at: 8 };
      await assert.rejects(store.turns.open(first.lease, second));
      assert.deepEqual(await everything(store), before);
      await store.turns.end(first.lease, first.turn, done, 9, quietly);
      assert.equal((await store.turns.open(first.lease, second))?.state, "open");
    });

    test("who no longer holds the lease writes nothing", async () => {
      await using opened = await open();
      const { store } = opened;
      const { lease, turn, session } = await startTurn(store);
      const { row } = await store.inbox.admit(admission(session));
      await store.leases.acquire(session, { host: "other", pid: 2, startTime: "s" }, 1, () => true);
      await refused(lease);
      await store.leases.release({ session, epoch: 2 });
      await refused(lease);
      await refused({ session, epoch: 2 });
      await refused({ session, epoch: 3 });

      async function refused(stale: Lease): Promise<void> {
        const before = await everything(store);
        const next = { id: asId<"trn">("trn_2"), inbox: row.id, runtime: "loop", cwd: "/work", at: 8 };
        const writes = [
          () => store.turns.open(stale, next),
          () => store.turns.describe(stale, turn, { model: "m" }),
          () => store.turns.keep(stale, turn, said("i"), [{ role: "assistant", content: "x" }], 1),
          () => store.turns.end(stale, turn, done, 2, quietly),
          () => store.bindings.save(stale, "codex", "/work", { thread: "t" }),
        ];
        for (const write of writes) await assert.rejects(write, StaleLeaseError, String(write));
        assert.deepEqual(await everything(store), before);
      }
    });

    test("a lease does not reach into another session", async () => {
      await using opened = await open();
      const { store } = opened;
      const [mine, theirs] = [await startTurn(store), await startTurn(store)];
      const { row } = await store.inbox.admit(admission(theirs.session));
      const before = await everything(store);
      await assert.rejects(store.turns.keep(mine.lease, theirs.turn, said("i"), [], 1));
      await assert.rejects(store.turns.end(mine.lease, theirs.turn, done, 1, quietly));
      await assert.rejects(store.turns.describe(mine.lease, theirs.turn, { model: "m" }));
      const next = { id: asId<"trn">("trn_2"), inbox: row.id, runtime: "loop", cwd: "/work", at: 8 };
      assert.equal(await store.turns.open(mine.lease, next), undefined);
      assert.deepEqual(await everything(store), before);
    });

    test("an item and its rows are kept once, in order, and come back whole", async () => {
      await using opened = await open();
      const { store } = opened;
      const { lease, turn, session } = await startTurn(store);
      const call: CallItem = {
        id: item("i2"),
        kind: "call",
        callId: "codex_exec_i2",
        tool: "terminal",
        args: { command: "ls", nested: [1, null, true] },
        output: "a\nb",
        ok: true,
        exitCode: 0,
      };
      const toolCalls = [{ id: "codex_exec_i2", name: "terminal", arguments: '{"command":"ls"}' }];
      const rows: readonly Message[] = [
        { role: "assistant", content: "", toolCalls, reasoning: "let me see" },
        { role: "tool", toolCallId: "codex_exec_i2", content: "a\nb" },
      ];
      const note: Item = { id: item("i3"), kind: "note", text: "only shown" };
      const answer: Message = { role: "assistant", content: "done" };
      assert.equal(
        await store.turns.keep(lease, turn, said("i1", "wait"), [{ role: "assistant", content: "wait" }], 1),
        true,
      );
      assert.equal(await store.turns.keep(lease, turn, call, rows, 2), true);
      assert.equal(await store.turns.keep(lease, turn, note, [], 3), true);
      assert.equal(await store.turns.keep(lease, turn, said("i4", "done"), [answer], 4), true);
      const before = await everything(store);
      assert.equal(await store.turns.keep(lease, turn, call, rows, 5), false);
      assert.equal(await store.turns.keep(lease, turn, { ...call, output: "other" }, [answer], 5), false);
      assert.deepEqual(await everything(store), before);

      const again = await opened.reopen();
      assert.deepEqual(await again.turns.items(turn), [said("i1", "wait"), call, note, said("i4", "done")]);
      const stored = (await again.sessions.messages(session)).slice(1);
      assert.deepEqual(
        stored.map(({ message }) => message),
        [{ role: "assistant", content: "wait" }, ...rows, answer],
      );
      assert.deepEqual(
        stored.map(({ item: id, at }) => [id, at]),
        [
          ["i1", 1],
          ["i2", 2],
          ["i2", 2],
          ["i4", 4],
        ],
      );
    });

    test("the same item id in another turn is another item", async () => {
      await using opened = await open();
      const { store } = opened;
      const first = await startTurn(store);
      await store.turns.keep(first.lease, first.turn, said("i"), [], 1);
      await store.turns.end(first.lease, first.turn, done, 2, quietly);
      const second = await nextTurn(store, first.lease, "again");
      assert.equal(await store.turns.keep(second.lease, second.turn, said("i"), [], 3), true);
    });

    test("many at once keep an item once", async () => {
      await using opened = await open();
      const { lease, turn, session } = await startTurn(opened.store);
      const stores = [opened.store, await opened.another()];
      const kept = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          stores[n % 2]!.turns.keep(lease, turn, said("i"), [{ role: "assistant", content: "x" }], 1),
        ),
      );
      assert.equal(kept.filter(Boolean).length, 1);
      assert.equal((await opened.store.sessions.messages(session)).length, 2);
    });

    test("what a runtime told about a turn is added to it", async () => {
      await using opened = await open();
      const { store } = opened;
      const { lease, turn, session } = await startTurn(store);
      await store.turns.describe(lease, turn, { model: "m-1" });
      await store.turns.describe(lease, turn, { side: { thread: "th" } });
      await store.turns.describe(lease, turn, {});
      const [stored] = await store.sessions.turns(session);
      assert.partialDeepStrictEqual(stored, { model: "m-1", side: { thread: "th" }, state: "open" });
    });

    test("a turn ends once, with its replies", async () => {
      await using opened = await open();
      const { store } = opened;
      const { lease, turn, session } = await startTurn(store);
      const fault = { code: "network", message: "The line broke.", next: "Try again." } as const;
      const usage = { input: 1, cached: 0, output: 2, reasoning: 0, context: { used: 3, window: 100 } };
      const ended: EndedEvent = {
        type: "ended",
        outcome: "failed",
        text: "",
        calls: 0,
        fault,
        usage,
        side: { thread: "th" },
      };
      const replies = [
        reply("one", { chat: "42", replyTo: "7" }),
        reply("two", { chat: "42", about: "out_1" }),
      ];
      assert.equal(await store.turns.end(lease, turn, ended, 77, { replies, tell: false }), true);
      const before = await everything(store);
      assert.equal(await store.turns.end(lease, turn, done, 78, { replies, tell: true }), false);
      assert.deepEqual(await everything(store), before);
      const [stored] = await store.sessions.turns(session);
      assert.partialDeepStrictEqual(stored, {
        state: "failed",
        fault,
        usage,
        side: { thread: "th" },
        endedAt: 77,
      });
      assert.deepEqual(await store.turns.listOpen(), []);
      const pending = await store.outbox.inState("pending");
      assert.deepEqual(
        pending.map(({ id: _id, ...row }) => row),
        replies.map((each) => ({
          ...each,
          turn,
          part: 0,
          state: "pending",
          attempts: 0,
          at: 77,
          isOpen: false,
        })),
      );
    });

    test("a turn ended after a crash is told of once", async () => {
      await using opened = await open();
      const { store } = opened;
      const first = await startTurn(store);
      await store.turns.end(first.lease, first.turn, done, 2, quietly);
      const second = await nextTurn(store, first.lease, "again");
      const ended: EndedEvent = { ...done, outcome: "interrupted" };
      assert.deepEqual(await store.turns.takeUnreported(first.session), []);
      await store.turns.end(second.lease, second.turn, ended, 3, { replies: [], tell: true });
      const stores = [store, await opened.another()];
      const told = (await Promise.all(stores.map((each) => each.turns.takeUnreported(first.session)))).flat();
      assert.deepEqual(
        told.map(({ id, state }) => [id, state]),
        [[second.turn, "interrupted"]],
      );
      assert.deepEqual(await (await opened.reopen()).turns.takeUnreported(first.session), []);
    });
  });
}
