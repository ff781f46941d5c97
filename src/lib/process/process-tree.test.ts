import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { hostname, tmpdir } from "node:os";
import { describe, test } from "node:test";
import { spawnChild } from "./child.ts";
import { systemClock } from "../clock.ts";
import { runCommand } from "./command.ts";
import { lines } from "../rpc/jsonl.ts";
import { type ProcessIdentity, isAlive, selfIdentity, startTimeOf } from "./process-identity.ts";
import { parseStat, processRow, processRows, psRows } from "./process-table.ts";
import { killTree, processTree, sweep } from "./process-tree.ts";

describe("a process identity", () => {
  test("of ourselves is alive and stays the same", () => {
    const self = selfIdentity();
    assert.deepEqual([self.host, self.pid], [hostname(), process.pid]);
    assert.ok(isAlive(self));
    assert.deepEqual(selfIdentity(), self);
  });

  test("with another start time or no such pid is not alive", () => {
    assert.equal(isAlive({ pid: process.pid, startTime: "0@00000000" }), false);
    for (const pid of [0, -1, 1.5, Number.NaN, 2 ** 31]) assert.equal(startTimeOf(pid), undefined);
  });

  test("of a process that has ended but was not reaped is not alive", async () => {
    // The shell starts a child, and `exec` makes `cat` its parent, which never asks for it. Only when that has spoken is the
    // shell gone: one that is still there may notice the end of its child, dash even after an `echo`.
    await using world = await start("sleep 600 & echo $!; exec cat /dev/fd/3 - 3<<E\n0\nE\n");
    const [pid] = world.pids;
    assert.equal(await world.next(), 0);
    process.kill(pid!, "SIGKILL");
    while (processRow(pid!)?.zombie === false) await tick();
    assert.equal(processRow(pid!)?.zombie, true);
    assert.equal(startTimeOf(pid!), undefined);
  });

  test("is not called ended because we may not open a file to look", async () => {
    const script = `
      import { openSync } from "node:fs";
      import { isAlive, selfIdentity } from ${JSON.stringify(import.meta.resolve("./process-identity.ts"))};
      const self = selfIdentity();
      try { for (;;) openSync("/dev/null"); } catch {}
      try { process.exitCode = isAlive(self) ? 1 : 2; } catch (error) { process.exitCode = error.code === "EMFILE" ? 0 : 3; }
    `;
    const { code, stderr } = await runCommand({
      command: "/bin/sh",
      args: ["-c", 'ulimit -n 64; exec "$0" --input-type=module -e "$1"', process.execPath, script],
      cwd: tmpdir(),
      env: {},
      signal: new AbortController().signal,
      clock: systemClock,
    });
    assert.equal(code, 0, stderr);
  });
});

describe("the process table", () => {
  test("reads a stat line whose command has blanks and brackets in its name", () => {
    const fields = Array.from({ length: 49 }, (_, index) => String(index + 4)).join(" ");
    for (const name of ["sh", "a b", "x) S 1 1 1", "((", ""]) {
      assert.deepEqual(parseStat(`77 (${name}) Z ${fields}\n`, "boot"), {
        pid: 77,
        parent: 4,
        group: 5,
        session: 6,
        startTime: "22@boot",
        zombie: true,
      });
    }
    assert.equal(parseStat("", "boot"), undefined);
  });

  test("lists us, as `ps` does", async () => {
    await using world = await start("echo $$; exec sleep 600");
    for (const pid of [process.pid, world.identity.pid]) {
      const row = processRow(pid)!;
      assert.deepEqual(
        processRows().find((other) => other.pid === pid),
        row,
      );
      const [byPs] = psRows(["-p", String(pid)]);
      assert.deepEqual(
        { ...byPs, startTime: "", session: 0 },
        { pid, parent: row.parent, group: row.group, zombie: false, startTime: "", session: 0 },
      );
      assert.match(byPs!.startTime, /^\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}$/);
      assert.deepEqual(
        psRows(["-A"]).find((other) => other.pid === pid),
        byPs,
      );
    }
    assert.deepEqual(psRows(["-p", "2147483646"]), []);
  });

  test("says so if there is no `ps`", () => {
    const path = process.env["PATH"];
    process.env["PATH"] = "/no/such";
    try {
      assert.throws(() => psRows(["-A"]), { code: "ENOENT" });
    } finally {
      process.env["PATH"] = path;
    }
  });
});

describe("killTree", () => {
  test("ends a stranger's tree, with members that ignore SIGTERM and left the group", async () => {
    const tree = await orphanTree();
    assert.ok(isAlive(tree.root));
    assert.equal(await killTree(tree.root, quickClock), true);
    for (const pid of tree.pids) assert.equal(startTimeOf(pid), undefined);
  });

  test("signals nobody if the pid belongs to another process now", async () => {
    await using world = await start("echo $$; exec sleep 600");
    assert.equal(await killTree({ pid: world.identity.pid, startTime: "1@00000000" }, systemClock), true);
    assert.ok(isAlive(world.identity));
  });

  test("never signals a tree that we are part of", () => {
    const tree = processTree(selfIdentity());
    tree.signal("SIGKILL");
    assert.equal(tree.isGone(), false);
  });
});

describe("processTree", () => {
  test("remembers members whose parents have ended", async () => {
    await using world = await start("setsid sh -c 'echo $$; exec sleep 600' & exec sleep 600");
    const [escaped] = world.pids;
    const tree = processTree(world.identity);
    tree.look();
    process.kill(world.identity.pid, "SIGKILL");
    while (isAlive(world.identity)) await tick();
    assert.equal(tree.isGone(), false);
    tree.signal("SIGKILL");
    while (!tree.isGone()) await tick();
    assert.equal(startTimeOf(escaped!), undefined);
  });

  test("does not take a group for its own once the leader and all it knew are gone", async () => {
    await using world = await start("sleep 600 & echo $!; exec sleep 600");
    const stale = processTree({ ...world.identity, startTime: "1@00000000" });
    stale.signal("SIGKILL");
    assert.ok(isAlive(world.identity));
    assert.ok(stale.isGone());
  });
});

describe("sweep", () => {
  test("ends those that are still the same, leaves the others, and tells which rows may go", async () => {
    const left = await orphanTree();
    await using stranger = await start("echo $$; exec sleep 600");
    const records = [
      { ...left.root, kind: "left" },
      { pid: stranger.identity.pid, startTime: "1@00000000", kind: "reused" },
      { pid: 2 ** 30, startTime: "1@00000000", kind: "ended" },
    ];
    assert.deepEqual(await sweep(records, quickClock), records);
    for (const pid of left.pids) assert.equal(startTimeOf(pid), undefined);
    assert.ok(isAlive(stranger.identity));
  });
});

let slept = 0;
/** Time passes only in its sleeps, ten times as fast: however slow the machine, there are as many looks at a tree. */
const quickClock = {
  now: () => slept,
  monotonic: () => slept,
  async sleep(ms: number, signal?: AbortSignal) {
    await systemClock.sleep(ms / 10, signal, { hold: true });
    slept += ms;
  },
};

const tick = (): Promise<void> => systemClock.sleep(1, undefined, { hold: true });

/** A child that prints one pid. */
async function start(script: string) {
  const child = await spawnChild({
    command: "/bin/sh",
    args: ["-c", script],
    cwd: tmpdir(),
    env: { PATH: process.env["PATH"]!, TREE_TEST: randomUUID() },
    kind: "test",
    registry: { add: async () => {}, remove: async () => {} },
    clock: systemClock,
    grace: { inputMs: 1, termMs: 50 },
  });
  const out = lines(child.stdout);
  return {
    identity: { pid: child.pid, startTime: child.startTime },
    pids: [Number((await out.next()).value)],
    next: async () => Number((await out.next()).value),
    [Symbol.asyncDispose]: () => child.kill(),
  };
}

/**
 * A group leader that is nobody's child any more; in its group one who ignores SIGTERM and has lost its parent; and a
 * child that left the group.
 */
async function orphanTree(): Promise<{ readonly root: ProcessIdentity; readonly pids: readonly number[] }> {
  await using world = await start(
    String.raw`setsid sh -c 'echo $$; (sh -c "trap \"\" TERM; echo \$\$; exec sleep 600" &); setsid sleep 600 & echo $!; wait' & exec sleep 600`,
  );
  const pids = [...world.pids, await world.next(), await world.next()];
  const pid = pids[0]!;
  process.kill(world.identity.pid, "SIGKILL");
  while (isAlive(world.identity)) await tick();
  return { root: { pid, startTime: startTimeOf(pid)! }, pids };
}
