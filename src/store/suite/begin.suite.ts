import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { asId } from "../../core/ids.ts";
import type { StoredInput } from "../../core/session.ts";
import type { Begun, BegunWaiting, FirstOfWaiting } from "../schema/opened-turn.ts";
import { type Admission, StaleLeaseError, type Store } from "../store.ts";
import {
  type Open,
  admission,
  done,
  everything,
  hold,
  newSession,
  nobodyIsGone,
  owner,
  said,
  startTurn,
} from "./world.suite.ts";

const claim = { owner: owner(), isGone: nobodyIsGone };
type First = Parameters<Store["turns"]["begin"]>[2];
const first: First = { id: asId<"trn">("trn_first"), runtime: "loop" };

async function begin(store: Store, input: Admission, also: Partial<First> = {}): Promise<Begun> {
  const answer = await store.turns.begin(claim, input, { ...first, ...also });
  if ("busy" in answer) throw new Error("it is busy");
  return answer;
}

const firstOfWaiting: FirstOfWaiting = { ...first, runtimeOf: ({ runtime }) => runtime ?? "loop" };

async function beginWaiting(
  store: Store,
  row: StoredInput,
  chosen: Pick<Admission, "choices" | "at">,
  also: Partial<FirstOfWaiting> = {},
): Promise<BegunWaiting> {
  const answer = await store.turns.beginWaiting(claim, row, chosen, { ...firstOfWaiting, ...also });
  if ("busy" in answer) throw new Error("it is busy");
  return answer;
}

export function beginTests(open: Open): void {
  describe("beginning a turn at once", () => {
    test("of a message that is known already begins nothing, whatever session it is for this time", async () => {
      await using opened = await open();
      const input = admission(newSession());
      const { row } = await begin(opened.store, input);
      const again = await begin(opened.store, { ...input, session: newSession() });
      assert.deepEqual([again.fresh, again.row.id, again.opened], [false, row.id, undefined]);
      assert.equal((await opened.store.sessions.list({ limit: 9 })).length, 1);
    });

    test("leaves what taking the lease, admitting and opening leave one after the other", async () => {
      await using apart = await open();
      await using atOnce = await open();
      const input = admission(newSession({ runtime: "codex" }));
      const id = typeof input.session === "string" ? input.session : input.session.id;
      const lease = await hold(apart.store, id, input.at);
      const { row } = await apart.store.inbox.admit(input);
      const opening = { id: first.id, inbox: row.id, runtime: "codex", cwd: "/work", at: input.at };
      const turn = await apart.store.turns.open(lease, opening);
      const answer = await begin(atOnce.store, input);
      assert.deepEqual(answer.lease, lease);
      assert.deepEqual(answer.row, row);
      assert.deepEqual(answer.opened?.turn, turn);
      assert.deepEqual(answer.opened?.session, await apart.store.sessions.get(id));
      assert.deepEqual(await everything(atOnce.store), await everything(apart.store));
    });

    test("uses what was chosen with it, and keeps that with the session", async () => {
      await using opened = await open();
      const { store } = opened;
      const choices = { runtime: "codex", cwd: "/elsewhere", model: "m" };
      const { opened: open1 } = await begin(store, { ...admission(newSession()), choices });
      assert.deepEqual([open1?.before.model, open1?.session.model], [undefined, "m"]);
      assert.equal(open1?.turn.runtime, "codex");
      assert.equal(open1?.turn.cwd, "/elsewhere");
      assert.equal((await store.sessions.get(open1?.session.id ?? asId<"ses">("")))?.model, "m");
    });

    test("does nothing when another process has the session", async () => {
      await using opened = await open();
      const { store } = opened;
      const { session } = await startTurn(store);
      const before = await everything(store);
      const answer = await store.turns.begin(claim, admission(session), first);
      assert.deepEqual(answer, { busy: owner() });
      assert.deepEqual(await everything(store), before);
    });

    test("opens nothing for an input that was admitted before, or behind a turn that is still open", async () => {
      await using opened = await open();
      const { store } = opened;
      const input = admission(newSession());
      const { row, lease, opened: open1 } = await begin(store, input);
      await store.leases.release(lease);
      const again = await begin(store, { ...input, id: asId<"inb">("inb_again") });
      assert.equal(again.fresh, false);
      assert.equal(again.row.id, row.id);
      assert.equal(again.opened, undefined);
      await store.leases.release(again.lease);
      const behind = await begin(store, admission(row.session), { id: asId<"trn">("trn_behind") });
      assert.equal(behind.fresh, true);
      assert.equal(behind.opened, undefined);
      assert.equal((await store.inbox.get(behind.row.id))?.state, "waiting");
      assert.deepEqual(
        (await store.turns.listOpen()).map(({ id }) => id),
        [open1?.turn.id],
      );
    });

    test("of one that waits leaves what beginning it at once would have left", async () => {
      await using apart = await open();
      await using atOnce = await open();
      const input = admission(newSession({ runtime: "codex" }));
      const answer = await begin(atOnce.store, input);
      const { row } = await apart.store.inbox.admit(input);
      const { lease, opened } = await beginWaiting(apart.store, row, input);
      assert.deepEqual({ lease, opened }, { lease: answer.lease, opened: answer.opened });
      assert.equal(opened?.turn.runtime, "codex");
      assert.deepEqual(await everything(apart.store), await everything(atOnce.store));
    });

    test("of one that waits keeps with the session what was chosen for it", async () => {
      await using opened = await open();
      const { store } = opened;
      const input = admission(newSession());
      const { row } = await store.inbox.admit(input);
      const chosen = { ...input, choices: { model: "m", cwd: "/elsewhere" } };
      const { opened: begun } = await beginWaiting(store, row, chosen);
      assert.deepEqual(
        [begun?.before.model, begun?.session.model, begun?.turn.cwd],
        [undefined, "m", "/elsewhere"],
      );
      assert.equal((await store.sessions.get(row.session))?.model, "m");
    });

    test("of one that does not wait, or has no place to run, takes the lease alone", async () => {
      await using opened = await open();
      const { store } = opened;
      const input = admission(newSession());
      const { row } = await store.inbox.admit(input);
      const none = await beginWaiting(store, row, input, { runtimeOf: () => undefined });
      await store.leases.release(none.lease);
      assert.equal((await store.inbox.get(row.id))?.state, "waiting");
      await store.inbox.move(row.id, "waiting", "kept");
      const kept = await beginWaiting(store, row, input);
      await store.leases.release(kept.lease);
      assert.deepEqual([none.opened, kept.opened], [undefined, undefined]);
      assert.deepEqual(await store.turns.listOpen(), []);
      assert.equal((await store.inbox.get(row.id))?.state, "kept");
    });

    test("of one that waits stands behind a turn that is open, and behind another process", async () => {
      await using opened = await open();
      const { store } = opened;
      const { session, lease, turn } = await startTurn(store);
      const input = admission(session);
      const { row } = await store.inbox.admit(input);
      assert.deepEqual(await store.turns.beginWaiting(claim, row, input, firstOfWaiting), { busy: owner() });
      await store.leases.release(lease);
      const behind = await beginWaiting(store, row, input);
      assert.equal(behind.opened, undefined);
      assert.deepEqual(
        (await store.turns.listOpen()).map(({ id }) => id),
        [turn],
      );
    });

    test("and ending it with the lease frees the session for the next one", async () => {
      await using opened = await open();
      const { store } = opened;
      const { lease, turn, session } = await startTurn(store);
      const also = { replies: [], tell: false, release: true };
      assert.equal(await store.turns.end(lease, turn, done, 9, also), true);
      assert.equal(await store.leases.holder(session), undefined);
      await assert.rejects(store.turns.end(lease, turn, done, 9, also), StaleLeaseError);
      const next = await begin(store, admission(session));
      assert.equal(next.lease.epoch, lease.epoch + 1);
    });
  });

  describe("writes that are asked for together", () => {
    test("are done in their order and share one commit, where one writes at a time", async () => {
      let commits = 0;
      const onStatement = (sql: string, when: string): void => {
        if (sql === "commit" && when === "after") commits += 1;
      };
      await using opened = await open({ onStatement });
      const { store } = opened;
      const turns = [await startTurn(store), await startTurn(store), await startTurn(store)];
      commits = 0;
      const kept = turns.flatMap(({ lease, turn }) => [
        store.turns.keep(lease, turn, said("a"), [], 1),
        store.turns.keep(lease, turn, said("a"), [], 2),
      ]);
      assert.deepEqual(await Promise.all(kept), [true, false, true, false, true, false]);
      assert.equal(commits, opened.sharesCommits ? 1 : kept.length);
    });

    test("do not share a failure: the others are done, and are there afterwards", async () => {
      await using opened = await open();
      const { store } = opened;
      const [mine, theirs] = [await startTurn(store), await startTurn(store)];
      const stale = { ...theirs.lease, epoch: 99 };
      const answers = await Promise.allSettled([
        store.turns.keep(mine.lease, mine.turn, said("a"), [], 1),
        store.turns.keep(stale, theirs.turn, said("b"), [], 1),
        store.turns.keep(mine.lease, mine.turn, said("c"), [], 1),
      ]);
      assert.deepEqual(
        answers.map((answer) => (answer.status === "fulfilled" ? answer.value : answer.reason)),
        [true, new StaleLeaseError(stale), true],
      );
      const reopened = await opened.reopen();
      assert.deepEqual(await reopened.turns.items(mine.turn), [said("a"), said("c")]);
      assert.deepEqual(await reopened.turns.items(theirs.turn), []);
    });

    test("are all refused when the commit fails, and none of them is there", async () => {
      let broken = false;
      const onStatement = (sql: string, when: string): void => {
        if (broken && sql === "commit" && when === "before")
          throw Object.assign(new Error("disk I/O error"), { code: "ERR_SQLITE_ERROR", errcode: 10 });
      };
      await using opened = await open({ onStatement });
      const { store } = opened;
      const { lease, turn } = await startTurn(store);
      broken = true;
      const answers = await Promise.allSettled(
        ["a", "b"].map((id) => store.turns.keep(lease, turn, said(id), [], 1)),
      );
      broken = false;
      assert.deepEqual(
        answers.map(({ status }) => status),
        ["rejected", "rejected"],
      );
      assert.deepEqual(await store.turns.items(turn), []);
    });

    test("are done before the store is closed", async () => {
      await using opened = await open();
      const { lease, turn } = await startTurn(opened.store);
      const kept = opened.store.turns.keep(lease, turn, said("a"), [], 1);
      const reopened = await opened.reopen();
      assert.equal(await kept, true);
      assert.deepEqual(await reopened.turns.items(turn), [said("a")]);
    });
  });
}
