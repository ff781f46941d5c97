import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { asId } from "../../core/ids.ts";
import {
  type Open,
  admission,
  done,
  hold,
  newSession,
  nextTurn,
  said,
  say,
  startTurn,
  reply,
} from "./world.suite.ts";

export function sessionTests(open: Open): void {
  describe("sessions", () => {
    test("a session is there from its first input on, with what was chosen and nothing else", async () => {
      await using opened = await open();
      const { store } = opened;
      const session = newSession({ title: "A title", model: "m-1" });
      assert.equal(await store.sessions.get(session.id), undefined);
      await store.inbox.admit(admission(session, { at: 7 }));
      assert.deepEqual(await store.sessions.get(session.id), { ...session, createdAt: 7, updatedAt: 7 });
      assert.deepEqual(await (await opened.reopen()).sessions.get(session.id), {
        ...session,
        createdAt: 7,
        updatedAt: 7,
      });
    });

    test("the same new session given twice is created once", async () => {
      await using opened = await open();
      const session = newSession();
      await opened.store.inbox.admit(admission(session, { at: 1 }));
      await opened.store.inbox.admit(admission({ ...session, cwd: "/elsewhere" }, { at: 2 }));
      assert.deepEqual(await opened.store.sessions.get(session.id), {
        ...session,
        createdAt: 1,
        updatedAt: 2,
      });
    });

    test("an outline has who spoke and which tools were called in the last turns, and nothing of the rest", async () => {
      await using opened = await open();
      const { store } = opened;
      const first = await startTurn(store, "one");
      await say(store, first, "Let me see.", "An answer.".padEnd(300, "!"));
      await store.turns.end(first.lease, first.turn, done, 5, { replies: [], tell: false });
      const second = await nextTurn(store, first.lease, "two");
      const call = { id: "c", name: "memory", arguments: "{}" };
      const called = { role: "assistant", content: "", toolCalls: [call] } as const;
      await store.turns.keep(second.lease, second.turn, said("a"), [called], 6);
      await store.turns.keep(
        second.lease,
        second.turn,
        said("b"),
        [{ role: "tool", toolCallId: "c", content: "kept" }],
        7,
      );
      const outline = await store.sessions.outline(first.session, { count: 5 });
      const told = outline.map(({ turn, messages }) => [
        turn.id,
        turn.state,
        ...messages.map(({ role, content }) => `${role} ${String(content).slice(0, 12)}`),
      ]);
      assert.deepEqual(told, [
        [first.turn, "done", "user one", "assistant An answer.!!"],
        [second.turn, "open", "user two", "assistant ", "tool kept"],
      ]);
      const [, { messages: [, row] = [] } = {}] = outline;
      assert.deepEqual(row, called);
      assert.ok(String(outline[0]?.messages.at(-1)?.content).length < 300);
      const after = [first.turn, second.turn] as const;
      for (const wanted of [{ count: 1 }, { count: 5, after }])
        assert.deepEqual(
          (await store.sessions.outline(first.session, wanted)).map(({ turn }) => turn.id),
          [second.turn],
        );
    });

    test("find takes the beginning of an id literally and gives the newest ten", async () => {
      await using opened = await open();
      const { store } = opened;
      for (let n = 10; n < 22; n++) {
        await store.inbox.admit(admission(newSession({ id: asId<"ses">(`ses_a${n}`) }), { at: n }));
      }
      await store.inbox.admit(admission(newSession({ id: asId<"ses">("ses_b") }), { at: 1 }));
      const ids = (await store.sessions.find("ses_a")).map(({ id }) => id);
      assert.deepEqual(
        ids,
        [21, 20, 19, 18, 17, 16, 15, 14, 13, 12].map((n) => `ses_a${n}`),
      );
      assert.deepEqual(
        (await store.sessions.find("ses_a15")).map(({ id }) => id),
        ["ses_a15"],
      );
      for (const none of ["SES_A", "ses%", "es_a", "ses_a155", "ses_a1_"]) {
        assert.deepEqual(await store.sessions.find(none), [], none);
      }
    });

    test("a listed session shows the beginning of its first message, once there is one", async () => {
      await using opened = await open();
      const { store } = opened;
      const empty = newSession();
      await store.inbox.admit(admission(empty));
      const long = "a long first message ".repeat(20);
      const turn = await startTurn(store, long);
      await say(store, turn, "an answer");
      const previews = new Map(
        (await store.sessions.list({ limit: 10 })).map(({ id, preview }) => [id, preview]),
      );
      assert.equal(previews.get(empty.id), undefined);
      assert.equal(previews.get(turn.session), long.slice(0, 120));
    });

    test("list gives the newest activity first, of one folder if asked", async () => {
      await using opened = await open();
      const { store } = opened;
      const [a, b, c] = [newSession(), newSession({ cwd: "/other" }), newSession()];
      await store.inbox.admit(admission(a, { at: 1 }));
      await store.inbox.admit(admission(b, { at: 2 }));
      await store.inbox.admit(admission(c, { at: 3 }));
      await store.inbox.admit(admission(a.id, { at: 4 }));
      const listed = async (filter: Parameters<typeof store.sessions.list>[0]) =>
        (await store.sessions.list(filter)).map(({ id }) => id);
      assert.deepEqual(await listed({ limit: 10 }), [a.id, c.id, b.id]);
      assert.deepEqual(await listed({ limit: 2 }), [a.id, c.id]);
      assert.deepEqual(await listed({ limit: 10, cwd: "/other" }), [b.id]);
      assert.deepEqual(await listed({ limit: 10, cwd: "/oth" }), []);
    });

    test("a turn's start and end are activity", async () => {
      await using opened = await open();
      const { store } = opened;
      const session = newSession();
      const lease = await hold(store, session.id);
      const { row } = await store.inbox.admit(admission(session, { at: 1 }));
      const turn = asId<"trn">("trn_x");
      await store.turns.open(lease, { id: turn, inbox: row.id, runtime: "loop", cwd: "/work", at: 50 });
      assert.equal((await store.sessions.get(session.id))?.updatedAt, 50);
      await store.turns.end(lease, turn, done, 60, { replies: [], tell: false });
      assert.equal((await store.sessions.get(session.id))?.updatedAt, 60);
    });

    test("update changes what is given and leaves the rest", async () => {
      await using opened = await open();
      const { store } = opened;
      const session = newSession({ title: "old", effort: "low" });
      await store.inbox.admit(admission(session, { at: 1 }));
      await store.sessions.update(session.id, { title: "new", model: "m-2" });
      await store.sessions.update(session.id, {});
      assert.deepEqual(await store.sessions.get(session.id), {
        ...session,
        title: "new",
        model: "m-2",
        createdAt: 1,
        updatedAt: 1,
      });
    });

    test("giveTitle gives a title only where there is none, and is no activity", async () => {
      await using opened = await open();
      const { store } = opened;
      const [plain, named] = [newSession(), newSession({ title: "mine" })];
      for (const session of [plain, named]) await store.inbox.admit(admission(session, { at: 1 }));
      assert.equal(await store.sessions.giveTitle(plain.id, "first"), true);
      assert.equal(await store.sessions.giveTitle(plain.id, "second"), false);
      assert.equal(await store.sessions.giveTitle(named.id, "other"), false);
      assert.equal(await store.sessions.giveTitle(newSession().id, "nobody's"), false);
      const { title, updatedAt } = (await store.sessions.get(plain.id)) ?? {};
      assert.deepEqual([title, updatedAt], ["first", 1]);
      assert.equal((await store.sessions.get(named.id))?.title, "mine");
    });

    test("delete removes everything of the session, search included, and nothing else", async () => {
      await using opened = await open();
      const { store } = opened;
      const gone = await startTurn(store, "purple elephant");
      await say(store, gone, "a purple answer");
      await store.bindings.save(gone.lease, "codex", "/work", { thread: "t" });
      await store.turns.end(gone.lease, gone.turn, done, 5, { replies: [reply("b")], tell: true });
      const kept = await startTurn(store, "purple giraffe");

      assert.equal(await store.sessions.delete(gone.session, asId<"inb">("inb_other")), false);
      assert.equal(await store.sessions.delete(gone.session), true);
      assert.equal(await store.sessions.delete(gone.session), false);
      assert.equal(await store.sessions.get(gone.session), undefined);
      assert.equal(await store.inbox.get(gone.inbox), undefined);
      assert.deepEqual(await store.sessions.turns(gone.session), []);
      assert.deepEqual(await store.sessions.messages(gone.session), []);
      assert.deepEqual(await store.turns.items(gone.turn), []);
      const [answer] = await store.outbox.inState("pending");
      assert.deepEqual([answer?.turn, answer?.chat], [undefined, "c"], "who waits for it still gets it");
      assert.deepEqual(await store.turns.takeUnreported(gone.session), []);
      assert.equal(await store.bindings.load(gone.session, "codex", "/work"), undefined);
      assert.equal(await store.leases.holder(gone.session), undefined);
      const found = await store.search({ text: "purple", limit: 10 });
      assert.deepEqual(
        found.map((hit) => hit.session),
        [kept.session],
      );
      assert.deepEqual(await store.search({ text: "elephant", limit: 10 }), []);
      assert.deepEqual(await store.search({ text: "lephan", limit: 10 }), []);
      assert.equal((await store.sessions.messages(kept.session)).length, 1);
    });

    test("messages come in order, and a window counts rows of this session only", async () => {
      await using opened = await open();
      const { store } = opened;
      const [one, other] = [await startTurn(store, "m0"), await startTurn(store, "x")];
      for (let n = 1; n < 9; n++) {
        await say(store, one, `m${n}`);
        await say(store, other, "x", "x");
      }
      const all = await store.sessions.messages(one.session);
      assert.deepEqual(
        all.map(({ message }) => message.content),
        [0, 1, 2, 3, 4, 5, 6, 7, 8].map((n) => `m${n}`),
      );
      assert.ok(all.every(({ seq }, at) => at === 0 || seq > all[at - 1]!.seq));
      const window = async (around: number, radius: number) =>
        (await store.sessions.messages(one.session, { around, radius })).map(
          ({ message }) => message.content,
        );
      assert.deepEqual(await window(all[4]!.seq, 2), ["m2", "m3", "m4", "m5", "m6"]);
      assert.deepEqual(await window(all[0]!.seq, 1), ["m0", "m1"]);
      assert.deepEqual(await window(all[8]!.seq, 1), ["m7", "m8"]);
      assert.deepEqual(await window(all[3]!.seq, 0), ["m3"]);
      assert.deepEqual(await window(all[3]!.seq + 1, 1), ["m3", "m4"], "between two rows");
      assert.deepEqual(await window(1_000_000, 1), ["m8"]);
    });

    test("turns come in the order they were opened", async () => {
      await using opened = await open();
      const { store } = opened;
      const first = await startTurn(store);
      await store.turns.keep(first.lease, first.turn, said("i"), [], 1);
      await store.turns.end(first.lease, first.turn, done, 2, { replies: [], tell: false });
      const second = await nextTurn(store, first.lease, "again");
      const turns = await store.sessions.turns(first.session);
      assert.deepEqual(
        turns.map(({ id, state }) => [id, state]),
        [
          [first.turn, "done"],
          [second.turn, "open"],
        ],
      );
    });
  });
}
