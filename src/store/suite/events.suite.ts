import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { FollowedSession } from "../../core/event-log.ts";
import type { SessionId } from "../../core/ids.ts";
import { newId } from "../../core/ids.ts";
import { localOwner } from "../../core/principal.ts";
import { StaleLeaseError, type Store } from "../store.ts";
import { approval, decided, inquiry, yes } from "./asking-world.suite.ts";
import { spoken } from "./undo.suite.ts";
import { type Open, done, hold, newSession, nextTurn, said, startTurn, text } from "./world.suite.ts";

const all = async (store: Store, of: FollowedSession = "all") =>
  (await store.events.after(of, 0, 10_000)).events;

const types = async (store: Store, session: SessionId) =>
  (await all(store, { session })).map(({ event }) => event.type);

const numbers = async (store: Store, session: SessionId) =>
  (await all(store, { session })).map(({ number }) => number);

const notice = (code: string) => ({ type: "notice", code, text: `about ${code}` }) as const;

export const eventTests = (open: Open): void => {
  describe("event log", () => {
    turnsAreLogged(open);
    sessionsAreLogged(open);
    readAgain(open);
    pruned(open);
    watched(open);
  });
};

const turnsAreLogged = (open: Open): void => {
  test("a turn is logged with the person's words, its items and its end, numbered without holes", async () => {
    await using opened = await open();
    const { store } = opened;
    const { session, lease, turn } = await startTurn(store, "hello");
    await store.turns.describe(lease, turn, { model: "m" });
    const call = {
      id: said("c").id,
      kind: "call",
      callId: "c",
      tool: "t",
      args: {},
      output: "o",
      ok: true,
    } as const;
    await store.turns.keep(lease, turn, call, [], 3);
    await store.turns.keep(lease, turn, said("a", "answer"), [], 4);
    await store.turns.keep(lease, turn, { ...said("b", "beside"), phase: "commentary" }, [], 5);
    const fault = { code: "rate_limited", message: "no", next: "wait" } as const;
    await store.turns.end(lease, turn, { ...done, outcome: "failed", fault }, 6, {
      replies: [],
      tell: false,
    });

    const events = await all(await opened.reopen(), { session });
    assert.deepEqual(
      events.map(({ number, place }) => [number, place]),
      [1, 2, 3, 4, 5, 6].map((n) => [n, n]),
    );
    assert.deepEqual(events.map(({ event }) => event).slice(1), [
      {
        type: "started",
        runtime: "loop",
        model: "m",
        cwd: "/work",
        from: localOwner("cli"),
        input: text("hello"),
      },
      { type: "item", item: call },
      { type: "item", item: said("a", "answer") },
      { type: "item", item: { ...said("b", "beside"), phase: "commentary" } },
      { type: "ended", outcome: "failed", text: "answer", calls: 1, fault },
    ]);
    assert.deepEqual(
      events.slice(1).map((event) => [event.turn, event.session]),
      Array.from({ length: 5 }, () => [turn, session]),
    );
  });

  test("notices are logged with what is committed next, before it", async () => {
    await using opened = await open();
    const { store } = opened;
    const { session, lease, turn } = await startTurn(store);
    await store.turns.keep(lease, turn, said("a"), [], 1, undefined, [notice("x"), notice("y")]);
    await store.turns.end(lease, turn, done, 2, { replies: [], tell: false, notices: [notice("z")] });
    const events = await all(store, { session });
    assert.deepEqual(await types(store, session), [
      "began",
      "started",
      "notice",
      "notice",
      "item",
      "notice",
      "ended",
    ]);
    assert.deepEqual(events[3]?.event, notice("y"));
    assert.deepEqual(await numbers(store, session), [1, 2, 3, 4, 5, 6, 7]);
  });

  test("what is there already is not logged again, nor is what was refused", async () => {
    await using opened = await open();
    const { store } = opened;
    const { session, lease, turn } = await startTurn(store);
    for (const at of [1, 2]) await store.turns.keep(lease, turn, said("a"), [], at);
    const stale = { ...lease, epoch: lease.epoch - 1 };
    await assert.rejects(store.turns.keep(stale, turn, said("b"), [], 3), StaleLeaseError);
    for (const at of [4, 5]) await store.turns.end(lease, turn, done, at, { replies: [], tell: false });
    assert.deepEqual(await types(store, session), ["began", "started", "item", "ended"]);
  });

  test("questions are logged when they are asked and when they are closed, and each says what held then", async () => {
    await using opened = await open();
    const { store } = opened;
    const of = await startTurn(store);
    const [asked, form] = [approval(of), inquiry(of)];
    await store.approvals.add(asked, { host: "h", pid: 1, startTime: "s" });
    await store.approvals.add(decided(of, "allowed"), { host: "h", pid: 1, startTime: "s" });
    await store.approvals.resolve(asked.id, yes());
    await store.inquiries.add(form, { host: "h", pid: 1, startTime: "s" });
    await store.inquiries.resolve(form.id, { state: "answered", answers: { which: "a" }, at: 9 });
    const { id, question, shown, choices } = asked;
    const state = { id, question, shown, choices };
    assert.deepEqual((await all(store, { session: of.session })).map(({ event }) => event).slice(2), [
      { type: "approval", approval: state },
      { type: "approval", approval: { ...state, decision: { choice: "once", why: "person", by: "ada" } } },
      { type: "inquiry", inquiry: { id: form.id, form: form.form } },
      {
        type: "inquiry",
        inquiry: { id: form.id, form: form.form, answers: { which: "a" }, closed: "answered" },
      },
    ]);
  });

  test("words that were steered into a turn are logged", async () => {
    await using opened = await open();
    const { store } = opened;
    const { session, lease, turn } = await startTurn(store);
    const { row } = await store.inbox.admit({
      id: newId("inb", 5),
      from: localOwner("tui"),
      session,
      input: text("and this"),
      at: 5,
      key: { surface: "tui", account: "", chat: "", messageId: "m" },
    });
    await store.inbox.move(row.id, "waiting", "unconfirmed", turn);
    for (const at of [6, 7]) await store.turns.steered(lease, turn, row.id, at);
    const [last, ...others] = (await all(store, { session })).slice(2);
    assert.deepEqual(last?.event, { type: "steered", from: localOwner("tui"), input: text("and this") });
    assert.deepEqual([last?.turn, others], [turn, []]);
  });
};

const sessionsAreLogged = (open: Open): void => {
  test("what becomes of a session is logged", async () => {
    await using opened = await open();
    const { store } = opened;
    const { session, lease, turns } = await spoken(store, 2);
    const before = (await all(store, { session })).length;
    await store.sessions.update(session, { title: "a name", model: "m" });
    await store.sessions.update(session, { title: "a name" });
    await store.turns.undo(lease, turns.slice(1));
    await store.turns.redo(lease);
    const { id } = await store.compactions.add(lease, { upTo: 1, seen: 1, at: 9, pinned: [] });
    await store.compactions.remove(lease, id);
    const events = (await all(store, { session })).slice(before);
    assert.deepEqual(
      events.map(({ event, turn }) => [event.type, turn]),
      [
        ["changed", undefined],
        ["undone", turns[1]],
        ["redone", turns[1]],
        ["compacted", undefined],
        ["uncompacted", undefined],
      ],
    );
    assert.deepEqual(events[0]?.event, { type: "changed", cwd: "/work", title: "a name", model: "m" });
  });

  test("a deleted session takes its events and those of what it began along, and that is an event", async () => {
    await using opened = await open();
    const { store } = opened;
    const parent = await startTurn(store);
    const child = await startTurn(store, "part", { parent: parent.session });
    const other = await startTurn(store);
    await store.sessions.delete(parent.session);
    for (const { session } of [parent, child]) assert.deepEqual(await types(store, session), ["deleted"]);
    assert.deepEqual(await numbers(store, parent.session), [3]);
    assert.deepEqual(await types(store, other.session), ["began", "started"]);
    const { lost } = await store.events.after({ session: parent.session }, 1, 10);
    assert.equal(lost, true);
  });

  test("a fork begins, and what was copied into it did not happen again", async () => {
    await using opened = await open();
    const { store } = opened;
    const { lease } = await spoken(store, 2);
    const fork = await store.sessions.fork(lease, { id: newSession().id, at: 9 });
    assert.deepEqual(await types(store, fork?.id ?? lease.session), ["began"]);
  });
};

const readAgain = (open: Open): void => {
  test("reads on behind any place, of one session and of all, in pages", async () => {
    await using opened = await open();
    const { store } = opened;
    const [one, two] = [await startTurn(store), await startTurn(store)];
    for (const { lease, turn } of [one, two, one])
      await store.turns.keep(lease, turn, said(newId("itm", 1)), [], 1);
    const whole = await all(store);
    assert.equal(whole.length, 7);
    const paged = [];
    for (let place = 0; ;) {
      const { events, lost } = await store.events.after("all", place, 2);
      assert.equal(lost, false);
      paged.push(...events);
      if (events.length === 0) break;
      place = events.at(-1)?.place ?? 0;
    }
    assert.deepEqual(paged, whole);
    assert.deepEqual(
      await all(store, { session: one.session }),
      whole
        .filter(({ session }) => session === one.session)
        .map((event) => ({ ...event, place: event.number })),
    );
    assert.deepEqual(await store.events.extent({ session: one.session }), { from: 0, to: 4 });
    assert.deepEqual(await store.events.extent("all"), { from: 0, to: whole.at(-1)?.place });
  });

  test("a home has a name of its own, and keeps it", async () => {
    await using opened = await open();
    await using other = await open();
    const home = await opened.store.events.home();
    assert.match(home, /^[0-9a-f]{12}$/);
    assert.notEqual(await other.store.events.home(), home);
    assert.equal(await (await opened.reopen()).events.home(), home);
  });
};

const pruned = (open: Open): void => {
  test("pruning goes by steps, removes the oldest, and whoever had not read them is told", async () => {
    await using opened = await open();
    const { store } = opened;
    const { session, lease } = await spoken(store, 3);
    const before = await all(store);
    const keep = { since: Number.MIN_SAFE_INTEGER, events: 4 };
    assert.deepEqual(
      [await store.events.prune(keep, 2), await store.events.prune(keep, 100)],
      [2, before.length - 6],
    );
    assert.equal(await store.events.prune(keep, 100), 0);
    assert.deepEqual(await all(store), before.slice(-4));
    assert.equal((await store.events.after("all", 0, 10)).lost, true);
    assert.equal((await store.events.after({ session }, 1, 10)).lost, true);
    const from = before.at(-4)?.number ?? 0;
    assert.deepEqual(await store.events.extent({ session }), { from: from - 1, to: before.length });
    assert.equal((await store.events.after({ session }, from, 10)).lost, false);

    const later = { since: Number.MAX_SAFE_INTEGER, events: 1000 };
    assert.equal(await store.events.prune(later, 100), 4);
    assert.deepEqual(await store.events.extent({ session }), { from: before.length, to: before.length });
    const { from: floor, to } = await store.events.extent("all");
    assert.deepEqual([floor, to], [before.at(-1)?.place, before.at(-1)?.place]);
    await nextTurn(store, lease, "more");
    assert.deepEqual(await numbers(await opened.reopen(), session), [before.length + 1]);
  });
};

const watched = (open: Open): void => {
  test("a watcher hears of commits here and of those of another process", async () => {
    await using opened = await open();
    const { store } = opened;
    const other = await opened.another();
    const heard = { here: Promise.withResolvers<void>(), there: Promise.withResolvers<void>() };
    const first = Promise.withResolvers<void>();
    const watch = store.events.watch((here) => {
      first.resolve();
      heard[here ? "here" : "there"].resolve();
    });
    await first.promise;
    heard.there = Promise.withResolvers();
    await startTurn(store);
    await heard.here.promise;
    const session = newSession();
    await hold(other, session.id);
    await heard.there.promise;
    watch[Symbol.dispose]();
  });
};
