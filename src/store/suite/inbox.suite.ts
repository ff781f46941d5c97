import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { InputPart } from "../../core/messages.ts";
import { type Open, admission, newSession, startTurn, text } from "./world.suite.ts";

export function inboxTests(open: Open): void {
  describe("inbox", () => {
    test("of a hundred deliveries of one message, one is fresh", async () => {
      await using opened = await open();
      const stores = [opened.store, await opened.another()];
      const key = { surface: "chat", account: "bot", chat: "42", messageId: "7" };
      const results = await Promise.all(
        Array.from({ length: 100 }, (_, n) => stores[n % 2]!.inbox.admit(admission(newSession(), { key }))),
      );
      assert.equal(results.filter(({ fresh }) => fresh).length, 1);
      const first = results.find(({ fresh }) => fresh)!.row;
      for (const { row } of results) assert.deepEqual(row, first);
      assert.deepEqual(await opened.store.inbox.inState("waiting"), [first]);
      assert.equal(
        (await opened.store.sessions.list({ limit: 200 })).length,
        1,
        "no session for a duplicate",
      );
    });

    test("who has spoken in a session is told by surface and id, and which chats by all of their name", async () => {
      await using opened = await open();
      const { inbox } = opened.store;
      const bob = { surface: "chat", id: "bob", role: "member", local: false } as const;
      const key = { surface: "chat", account: "bot", chat: "42", messageId: "1" };
      const session = newSession({ audience: "members" });
      await inbox.admit(admission(session, { key, from: bob }));
      const elsewhere = newSession();
      await inbox.admit(admission(elsewhere));
      const [own, others] = [
        { own: true, others: false },
        { own: false, others: true },
      ];
      assert.deepEqual(await inbox.saidIn(session.id, bob), own);
      assert.deepEqual(await inbox.saidIn(session.id, { ...bob, surface: "api" }), others);
      assert.deepEqual(await inbox.saidIn(session.id, { ...bob, id: "sue" }), others);
      assert.deepEqual(await inbox.saidIn(elsewhere.id, bob), others);
      await inbox.admit(admission(session.id));
      assert.deepEqual(await inbox.saidIn(session.id, bob), { own: true, others: true });
      assert.equal(await inbox.isOfChat(session.id, key), true);
      assert.equal(await inbox.isOfChat(elsewhere.id, key), false);
      for (const other of [{ surface: "x" }, { account: "x" }, { chat: "x" }])
        assert.equal(await inbox.isOfChat(session.id, { ...key, ...other }), false);
    });

    test("every part of the key counts", async () => {
      await using opened = await open();
      const key = { surface: "a", account: "b", chat: "c", messageId: "d" };
      const session = newSession();
      await opened.store.inbox.admit(admission(session, { key }));
      for (const other of [{ surface: "x" }, { account: "x" }, { chat: "x" }, { messageId: "x" }]) {
        const { fresh } = await opened.store.inbox.admit(
          admission(session.id, { key: { ...key, ...other } }),
        );
        assert.ok(fresh, JSON.stringify(other));
      }
    });

    test("an admitted input comes back whole, also after a restart", async () => {
      await using opened = await open();
      const input: readonly InputPart[] = [
        { type: "text", text: "look\nhere" },
        { type: "image", name: "a.png", mediaType: "image/png", base64: "AAEC" },
      ];
      const given = admission(newSession(), { input, at: 9 });
      const { row, fresh } = await opened.store.inbox.admit(given);
      const { id, key, from } = given;
      const session = typeof given.session === "string" ? given.session : given.session.id;
      assert.equal(fresh, true);
      assert.deepEqual(row, { id, key, from, session, input, receivedAt: 9, state: "waiting" });
      assert.deepEqual(await (await opened.reopen()).inbox.get(id), row);
    });

    test("times are whole milliseconds", async () => {
      await using opened = await open();
      const { row } = await opened.store.inbox.admit(admission(newSession(), { at: 1.75 }));
      assert.equal(row.receivedAt, 1);
    });

    test("input for a session that does not exist is refused, and nothing is stored", async () => {
      await using opened = await open();
      const given = admission(newSession().id);
      await assert.rejects(opened.store.inbox.admit(given), /does not exist/);
      assert.equal(await opened.store.inbox.get(given.id), undefined);
      assert.deepEqual(await opened.store.inbox.inState("waiting"), []);
    });

    test("inputs in a state come oldest first, of one session if asked", async () => {
      await using opened = await open();
      const { store } = opened;
      const [a, b] = [newSession(), newSession()];
      const first = (await store.inbox.admit(admission(a))).row.id;
      const second = (await store.inbox.admit(admission(b))).row.id;
      const third = (await store.inbox.admit(admission(a.id))).row.id;
      const ids = async (...asked: Parameters<typeof store.inbox.inState>) =>
        (await store.inbox.inState(...asked)).map(({ id }) => id);
      assert.deepEqual(await ids("waiting"), [first, second, third]);
      assert.deepEqual(await ids("waiting", a.id), [first, third]);
      assert.deepEqual(await ids("kept"), []);
    });

    test("an input moves only from the state it is in", async () => {
      await using opened = await open();
      const { store } = opened;
      const { turn, session } = await startTurn(store);
      const { row } = await store.inbox.admit(admission(session));
      assert.equal(await store.inbox.move(row.id, "kept", "waiting"), false);
      assert.equal((await store.inbox.get(row.id))?.state, "waiting");
      assert.equal(await store.inbox.move(row.id, "waiting", "unconfirmed", turn), true);
      assert.equal(await store.inbox.move(row.id, "waiting", "unconfirmed"), false);
      assert.equal(await store.inbox.move(row.id, "unconfirmed", "steered"), true);
      assert.deepEqual(await store.inbox.get(row.id), { ...row, state: "steered", turn });
    });

    test("of two who move it at once, one does", async () => {
      await using opened = await open();
      const { row } = await opened.store.inbox.admit(admission(newSession()));
      const stores = [opened.store, await opened.another()];
      const moved = await Promise.all(stores.map((store) => store.inbox.move(row.id, "waiting", "kept")));
      assert.deepEqual(moved.toSorted(), [false, true]);
    });

    test("input that was set aside is dropped once, or sent once more in one step", async () => {
      await using opened = await open();
      const { store } = opened;
      const session = newSession();
      const { row } = await store.inbox.admit(admission(session));
      assert.equal(await store.inbox.drop(row.id), false, "it waits still");
      await store.inbox.move(row.id, "waiting", "kept");
      const again = { ...admission(session.id), again: row.id };
      const sent = await store.inbox.admit(again);
      assert.deepEqual([sent.fresh, await store.inbox.get(row.id)], [true, undefined]);
      assert.equal((await store.inbox.admit(again)).fresh, false, "the same key is known");
      const late = { ...admission(session.id), again: row.id };
      await assert.rejects(store.inbox.admit(late), { code: "not_found" });
      assert.equal(await store.inbox.get(late.id), undefined);
      await store.inbox.move(sent.row.id, "waiting", "kept");
      assert.deepEqual(
        [await store.inbox.drop(sent.row.id), await store.inbox.drop(sent.row.id)],
        [true, false],
      );
      assert.deepEqual(await store.inbox.takeUnreported(session.id), []);
    });

    test("input that was set aside is told of once", async () => {
      await using opened = await open();
      const { store } = opened;
      const session = newSession();
      const { row } = await store.inbox.admit(admission(session));
      await store.inbox.admit(admission(session.id));
      const elsewhere = await store.inbox.admit(admission(newSession()));
      assert.deepEqual(await store.inbox.takeUnreported(session.id), []);
      await store.inbox.move(row.id, "waiting", "kept");
      await store.inbox.move(elsewhere.row.id, "waiting", "kept");
      const stores = [store, await opened.another()];
      const told = await Promise.all(stores.map((each) => each.inbox.takeUnreported(session.id)));
      assert.deepEqual(told.flat(), [{ ...row, state: "kept" }]);
      assert.deepEqual(await store.inbox.takeUnreported(session.id), []);
      await store.inbox.move(row.id, "kept", "waiting");
      await store.inbox.move(row.id, "waiting", "kept");
      assert.equal((await store.inbox.takeUnreported(session.id)).length, 1, "set aside a second time");
    });

    test("what was typed is given newest first, each text once, without pictures and blanks", async () => {
      await using opened = await open();
      const { store } = opened;
      const session = newSession();
      const type = (surface: string, ...input: readonly InputPart[]) => {
        const made = admission(session, { input });
        return store.inbox.admit({ ...made, key: { ...made.key, surface } });
      };
      const picture = { type: "image", name: "a.png", mediaType: "image/png", base64: "AA==" } as const;
      await type("cli", ...text("one"));
      await type("tui", ...text("two"), picture, ...text("lines"));
      await type("tui", ...text(" \n"));
      await type("tui", picture);
      await type("telegram", ...text("elsewhere"));
      await type("cli", ...text(" two"));
      await type("tui", ...text("one"));
      const surfaces = ["cli", "tui"];
      assert.deepEqual(await store.inbox.typed({ surfaces, limit: 9 }), ["one", " two", "two\nlines"]);
      assert.deepEqual(await store.inbox.typed({ surfaces, limit: 2 }), ["one", " two"]);
      assert.deepEqual(await store.inbox.typed({ surfaces: ["cli"], limit: 9 }), [" two", "one"]);
      assert.deepEqual(await store.inbox.typed({ surfaces, limit: 0 }), []);
      await Promise.all(Array.from({ length: 450 }, () => type("cli", ...text("again and again"))));
      assert.deepEqual(await store.inbox.typed({ surfaces, limit: 3 }), ["again and again", "one", " two"]);
    });
  });
}
