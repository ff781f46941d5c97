import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { describe, test } from "node:test";
import { spawnChild } from "./child.ts";
import { systemClock } from "../clock.ts";
import { lines } from "../rpc/jsonl.ts";
import { isAlive, selfIdentity, startTimeOf } from "./process-identity.ts";
import { markedProcesses, newMark, ownerMark } from "./process-mark.ts";
import { sweepMarked } from "./process-tree.ts";

const skip = process.platform === "linux" ? false : "environments of processes can be read on Linux only";

/**
 * A child whose own child has left its group and session, and tells its pid. It stays the program that it is: for an
 * instant nobody can see the environment of a process that becomes another one.
 */
async function withRunaway(mark: string) {
  const child = await spawnChild({
    command: "/bin/sh",
    args: ["-c", "setsid -f sh -c 'echo $$; sleep 600 & wait'; exec sleep 600"],
    cwd: tmpdir(),
    env: { PATH: process.env["PATH"] ?? "" },
    mark,
    kind: "test",
    registry: { add: async () => {}, remove: async () => {} },
    clock: systemClock,
  });
  for await (const line of lines(child.stdout)) {
    const pid = Number(line);
    return { child, runaway: { pid, startTime: startTimeOf(pid) ?? "" } };
  }
  throw new Error("the child said nothing");
}

describe("a marked child", { skip }, () => {
  test("takes along what left its group and lost its parent, even when it is killed itself", async () => {
    const { child, runaway } = await withRunaway(newMark("MARK_TEST"));
    process.kill(child.pid, "SIGKILL");
    await child.kill();
    assert.equal(isAlive(runaway), false);
  });

  test("leaves the children of other marks alone", async () => {
    const first = await withRunaway(newMark("MARK_TEST"));
    const second = await withRunaway(newMark("MARK_TEST"));
    await first.child.kill();
    assert.equal(isAlive(second.runaway), true);
    await second.child.kill();
    assert.equal(isAlive(second.runaway), false);
  });

  test("is found by what the marks of its owner begin with", async () => {
    const { child, runaway } = await withRunaway(newMark("MARK_SWEEP"));
    const mine = ownerMark("MARK_SWEEP", selfIdentity());
    assert.ok(markedProcesses(mine).some(({ pid }) => pid === runaway.pid));
    await sweepMarked(ownerMark("MARK_SWEEP", { ...selfIdentity(), startTime: "another" }), systemClock);
    assert.equal(isAlive(runaway), true);
    await sweepMarked(mine, systemClock);
    assert.equal(isAlive(runaway), false);
    await child.exited;
  });
});
