import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, describe, test } from "node:test";
import { testDatabase, withoutPostgres } from "../../../test/postgres.ts";
import { testFolder } from "../../../test/temp-folder.ts";
import { asId } from "../../core/ids.ts";
import { systemClock } from "../../lib/clock.ts";
import { spawnChild } from "../../lib/process/child.ts";
import { hostIdIn, isGoneFrom } from "../../lib/process/host-id.ts";
import { isAlive, selfIdentity } from "../../lib/process/process-identity.ts";
import { endOrphans } from "../../maintenance/orphans.ts";
import { type Owner, leaseExpiryMs } from "../store.ts";
import { admission, done, newSession, startTurn } from "../suite/world.suite.ts";
import { openPostgresStore } from "./open.ts";

/** Two machines that have the same name, as containers and clones do, each with a home of its own. */
describe("two machines on one PostgreSQL", { skip: withoutPostgres() }, () => {
  test("neither takes the other's lease before it expires, although no such process runs here", async (t) => {
    const { a, b } = await machines(t);
    const { id } = newSession();
    const here = ended(a.id);
    assert.deepEqual(await a.store.leases.acquire(id, here, 0, a.isGone), {
      lease: { session: id, epoch: 1 },
    });
    const early = await b.store.leases.acquire(id, selfIdentity(b.id), leaseExpiryMs - 1, b.isGone);
    assert.deepEqual(early, { busy: here });
    const late = await b.store.leases.acquire(id, selfIdentity(b.id), leaseExpiryMs, b.isGone);
    assert.deepEqual(late, { lease: { session: id, epoch: 2 } });
    const own = ended(b.id);
    const { id: other } = newSession();
    await b.store.leases.acquire(other, own, 0, b.isGone);
    const next = await b.store.leases.acquire(other, selfIdentity(b.id), 1, b.isGone);
    assert.deepEqual(next, { lease: { session: other, epoch: 2 } }, "of its own process it knows");
  });

  test("neither ends the other's children, although pids collide", async (t) => {
    const { a, b } = await machines(t);
    const child = await sleeper();
    t.after(() => child.kill());
    const { pid, startTime } = child;
    const orphan = { pid, startTime, kind: "codex" };
    await a.store.processes.add({ ...orphan, owner: ended(a.id) });
    assert.deepEqual(await endOrphans(b.store, b.isGone, systemClock), { found: 0, ended: 0 });
    assert.ok(isAlive(child));
    await b.store.processes.add({ ...orphan, owner: ended(b.id) });
    assert.deepEqual(await endOrphans(b.store, b.isGone, systemClock), { found: 1, ended: 1 });
    assert.equal(isAlive(child), false);
    assert.deepEqual(await b.store.processes.list(), [{ ...orphan, owner: ended(a.id) }]);
  });

  test("each finds the codex thread on its own disk", async (t) => {
    const { a, b } = await machines(t);
    const { session, lease, turn } = await startTurn(a.store);
    await a.store.bindings.save(lease, "codex", "/work", "on a");
    assert.equal(await b.store.bindings.load(session, "codex", "/work"), undefined);
    await b.store.bindings.save(lease, "codex", "/work", "on b");
    await b.store.bindings.save(lease, "codex", "/else", "on b");
    await b.store.bindings.save(lease, "codex", "/else", undefined);
    for (const [{ store }, thread] of [
      [a, "on a"],
      [b, "on b"],
    ] as const)
      assert.equal(await store.bindings.load(session, "codex", "/work"), thread);
    await a.store.turns.end(lease, turn, done, 1, { replies: [], tell: false, release: true });
    const claim = { owner: selfIdentity(b.id), isGone: b.isGone };
    const first = { id: asId<"trn">("trn_b"), runtime: "codex" };
    const begun = await b.store.turns.begin(
      claim,
      { ...admission(session), choices: { cwd: "/work" } },
      first,
    );
    assert.ok("opened" in begun);
    assert.equal(begun.opened?.found?.binding, "on b", "also where it comes with the start of a turn");
  });

  test("what a turn left running is told apart by the machine", async (t) => {
    const { a, b } = await machines(t);
    const { session } = await startTurn(a.store);
    const server = { id: "p1", command: "npm run dev", since: 1 };
    for (const { store, id } of [a, b]) await store.leftRunning.note(session, ended(id), [server]);
    await a.store.leftRunning.note(session, ended(a.id), []);
    assert.deepEqual(await a.store.leftRunning.takeLeft(session, a.isGone), []);
    assert.deepEqual(await b.store.leftRunning.takeLeft(session, b.isGone), [server]);
  });
});

/** A process that ran there. */
const ended = (host: string): Owner => ({ ...selfIdentity(host), startTime: "ended" });

async function machines(t: TestContext) {
  const database = await testDatabase();
  t.after(() => database[Symbol.asyncDispose]());
  const [a, b] = await Promise.all([machine("a"), machine("b")]);
  return { a, b };

  async function machine(stamp: string) {
    const id = await hostIdIn(join(await testFolder(t), "host-ids"), { name: "web", stamp });
    const store = await openPostgresStore(database.url, { machine: id, leaseTimes: "given" });
    t.after(() => store[Symbol.asyncDispose]());
    return { id, store, isGone: isGoneFrom(id) };
  }
}

const sleeper = () =>
  spawnChild({
    command: "/bin/sleep",
    args: ["600"],
    cwd: "/",
    env: {},
    kind: "test",
    registry: { add: async () => {}, remove: async () => {} },
    clock: systemClock,
    grace: { inputMs: 1, termMs: 50 },
  });
