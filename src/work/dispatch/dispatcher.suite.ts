import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { describe, test } from "node:test";
import { type TestHome, testHome } from "../../../test/fakes/test-agent.ts";
import { type InboxId, newId } from "../../core/ids.ts";
import { localOwner } from "../../core/principal.ts";
import type { StoredInput } from "../../core/session.ts";
import type { Store } from "../../store/store.ts";
import type { Dispatcher, DispatcherDeps, WorkSource } from "./dispatcher.ts";

/** What every way to bring work to an executor must do. */
export function dispatcherSuite(name: string, open: (deps: DispatcherDeps) => Dispatcher): void {
  describe(`dispatcher: ${name}`, () => {
    test("brings work when it is due and not before, once", async () => {
      await using it = await world(open);
      const [soon, later] = [await it.due(60_000), await it.due(120_000)];
      const dispatcher = await it.dispatcher();
      await it.clock.advance(59_000);
      assert.deepEqual(it.brought, []);
      await it.clock.advance(1000);
      assert.deepEqual(it.brought, [soon]);
      await it.clock.advance(60_000);
      dispatcher.changed();
      await it.clock.advance(60_000);
      assert.deepEqual(it.brought, [soon, later]);
    });

    test("brings what another process has written, and what has become due by a change", async () => {
      await using it = await world(open);
      await it.dispatcher();
      await it.clock.advance(1000);
      const other = await it.due(0);
      await it.clock.advance(1000);
      await it.bringing(1);
      assert.deepEqual(it.brought, [other]);
    });

    test("of two, one works, and the other goes on when that one is gone", async () => {
      await using it = await world(open);
      const first = await it.dispatcher({ pid: 1 });
      await it.clock.advance(100);
      await it.dispatcher({ pid: 2 });
      const early = await it.due(1000);
      await it.clock.advance(2000);
      await it.bringing(1);
      assert.deepEqual(it.brought, [early]);
      first.stop();
      await first.settled();
      await first[Symbol.asyncDispose]();
      const late = await it.due(20_000);
      await it.clock.advance(60_000);
      await it.bringing(2);
      assert.deepEqual(it.brought, [early, late]);
    });

    test("brings no more at once than may be, and the next one when one has ended", async () => {
      await using it = await world(open);
      const held = Promise.withResolvers<void>();
      it.during = () => held.promise;
      const all = [await it.due(0), await it.due(0), await it.due(0)];
      await it.dispatcher({ most: 2 });
      await it.clock.advance(1000);
      assert.deepEqual(it.brought, all.slice(0, 2));
      held.resolve();
      await it.clock.advance(1000);
      assert.deepEqual(it.brought, all);
    });

    test("leaves what cannot be done now until something changes, and asks for nothing meanwhile", async () => {
      await using it = await world(open);
      it.answer = "later";
      const dispatcher = await it.dispatcher();
      await it.clock.advance(10);
      const work = await it.due(0);
      await it.clock.advance(1000);
      await it.bringing(1);
      const before = it.plans;
      await it.clock.advance(60_000);
      assert.deepEqual(it.brought, [work]);
      const plans = it.plans - before;
      assert.ok(plans <= 2, `planned ${plans} times in a minute in which nothing was due`);
      it.answer = "done";
      dispatcher.changed();
      await it.clock.advance(10);
      assert.deepEqual(it.brought, [work, work]);
    });

    test("brings what had trouble again after a while, though nothing has changed", async () => {
      await using it = await world(open);
      it.answer = "trouble";
      await it.dispatcher();
      const work = await it.due(0);
      await it.clock.advance(1000);
      await it.bringing(1);
      await it.clock.advance(20_000);
      assert.deepEqual(it.brought, [work]);
      it.answer = "done";
      await it.clock.advance(20_000);
      await it.bringing(2);
      assert.deepEqual(it.brought, [work, work]);
    });

    test("begins nothing more when it was stopped", async () => {
      await using it = await world(open);
      const dispatcher = await it.dispatcher();
      await it.clock.advance(10);
      dispatcher.stop();
      await it.due(0);
      dispatcher.changed();
      await it.clock.advance(60_000);
      assert.deepEqual(it.brought, []);
    });

    test("is asked again when its source says so", async () => {
      await using it = await world(open);
      it.next = it.clock.now() + 30_000;
      await it.dispatcher();
      await it.clock.advance(29_000);
      const before = it.plans;
      await it.clock.advance(2000);
      assert.equal(it.plans, before + 1);
    });
  });
}

type World = AsyncDisposable &
  Pick<TestHome, "clock"> & {
    readonly brought: readonly InboxId[];
    plans: number;
    answer: "done" | "later" | "trouble";
    next: number | undefined;
    during: () => Promise<void>;
    dispatcher(also?: { readonly pid?: number; readonly most?: number }): Promise<Dispatcher>;
    /** Resolves when so many were brought: a server tells of another's writes in its own time. */
    bringing(count: number): Promise<void>;
    /** Work that is due so much later. */
    due(inMs: number): Promise<InboxId>;
  };

async function world(open: (deps: DispatcherDeps) => Dispatcher): Promise<World> {
  await using opened = new AsyncDisposableStack();
  const home = opened.use(await testHome());
  const { clock } = home;
  const brought: InboxId[] = [];
  const heard = new EventEmitter();
  const kept = opened.move();
  const it: World = {
    clock,
    brought,
    plans: 0,
    answer: "done",
    next: undefined,
    during: async () => {},
    async dispatcher({ pid = 1, most = 5 } = {}) {
      const store = await home.store();
      const owner = { host: "here", pid, startTime: String(pid) };
      const made = open({
        store,
        source: sourceOf(it, store, (id) => {
          brought.push(id);
          heard.emit("brought");
        }),
        most,
        owner,
        isGone: () => false,
        clock,
        log: () => {},
      });
      kept.use(made);
      return made;
    },
    async bringing(count) {
      while (brought.length < count) await once(heard, "brought");
    },
    async due(inMs) {
      const at = clock.now();
      const id = newId("inb", at);
      await home.disk.inbox.admit({
        id,
        at,
        key: { surface: "schedule", account: "", chat: "s", messageId: id },
        from: localOwner("cli"),
        session: { id: newId("ses", at), cwd: "/w", surface: "schedule", audience: "owner" },
        input: [{ type: "text", text: "Go." }],
        work: { origin: "batch", subject: "s", dueAt: at + inMs, attempt: 1, terms: { target: "local" } },
      });
      return id;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
  return it;
}

/** Does what it is given by marking it, unless it is to be left. */
const sourceOf = (it: World, store: Store, bring: (id: InboxId) => void): WorkSource => ({
  async plan() {
    it.plans += 1;
    return it.next !== undefined && it.next > it.clock.now() ? it.next : undefined;
  },
  async run({ id }: StoredInput) {
    bring(id);
    if (it.answer !== "done") return it.answer;
    await it.during();
    await store.inbox.move(id, "waiting", "kept");
    return "done";
  },
});
