import assert from "node:assert/strict";
import { test } from "node:test";
import { pinnedCodex } from "../../../../test/codex-schema/pinned-codex.ts";
import { systemClock } from "../../../lib/clock.ts";
import type { Clock } from "../../../lib/clock.ts";
import { startTimeOf } from "../../../lib/process/process-identity.ts";
import type { AppServer } from "./app-server.ts";
import { appServerPool } from "./pool.ts";
import { patience, realPlace } from "../real-codex.suite.ts";
import type { RealPlace } from "../real-codex.suite.ts";

const soon = { signal: patience, timeoutMs: 60_000 };
/** Twenty times as fast, so that a restart does not wait long. */
const fastClock: Clock = {
  ...systemClock,
  sleep: (ms, signal, options) => systemClock.sleep(ms / 20, signal, options),
};

test("several launches that are leased at once on a fresh CODEX_HOME all start", async () => {
  await using fixture = await realPlace(pinnedCodex());
  await using pool = poolOf(fixture);
  const launches = ["gpt-5.5", "gpt-6.1-sol", "gpt-5.5"].map((model) => fixture.launch({ model }));
  const leases = await Promise.all(launches.map((launch) => pool.lease(launch, patience)));
  assert.equal(new Set(leases.map(({ server }) => server.pid)).size, 2);
  for (const { server } of leases) await server.request("thread/start", { cwd: fixture.work }, soon);
});

test("after a crash the next lease has a new process, which goes on with the thread", async () => {
  await using fixture = await realPlace(pinnedCodex());
  await using pool = poolOf(fixture);
  const first = await pool.lease(fixture.launch(), patience);
  const thread = await threadWithTurn(first.server, fixture);
  process.kill(first.server.pid, "SIGKILL");
  assert.equal((await first.server.gone).signal, "SIGKILL");
  const second = await pool.lease(fixture.launch(), patience);
  assert.notEqual(second.server.pid, first.server.pid);
  assert.ok(second.server.epoch > first.server.epoch);
  await second.server.request("thread/resume", { threadId: thread, excludeTurns: true }, soon);
});

test("a wedged process that is drained is killed, and the next one can open its threads", async () => {
  await using fixture = await realPlace(pinnedCodex());
  await using pool = poolOf(fixture);
  const wedged = await pool.lease(fixture.launch(), patience);
  const thread = await threadWithTurn(wedged.server, fixture);
  process.kill(wedged.server.pid, "SIGSTOP");
  pool.drain(wedged.server, "wedged");
  wedged[Symbol.dispose]();
  const next = await pool.lease(fixture.launch(), patience);
  assert.equal(startTimeOf(wedged.server.pid), undefined);
  await next.server.request("thread/resume", { threadId: thread, excludeTurns: true }, soon);
});

test("a process that is drained gently ends with its last lease, and the next one can open its threads", async () => {
  await using fixture = await realPlace(pinnedCodex());
  await using pool = poolOf(fixture);
  const old = await pool.lease(fixture.launch(), patience);
  const thread = await threadWithTurn(old.server, fixture);
  pool.drain(old.server, "auth");
  assert.ok(old.server.alive);
  old[Symbol.dispose]();
  const next = await pool.lease(fixture.launch(), patience);
  assert.equal(startTimeOf(old.server.pid), undefined);
  await next.server.request("thread/resume", { threadId: thread, excludeTurns: true }, soon);
});

const poolOf = (fixture: RealPlace) =>
  appServerPool({ start: (launch, signal) => fixture.start(launch, { signal }), clock: fastClock });

async function threadWithTurn(server: AppServer, { work }: RealPlace): Promise<string> {
  const { thread } = (await server.request("thread/start", { cwd: work }, soon)) as {
    thread: { id: string };
  };
  using feed = server.feed(thread.id);
  const input = [{ type: "text", text: "hello" }];
  await server.request("turn/start", { threadId: thread.id, input }, soon);
  for (;;) {
    const frame = await feed.next(patience);
    assert.ok(frame !== undefined && frame.kind !== "gone");
    if (frame.method === "turn/completed") return thread.id;
  }
}
