import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { asId } from "../../core/ids.ts";
import type { Delegated } from "../../core/tooling.ts";
import { call, fakeHost, guest as aGuest, say } from "./fake-host.suite.ts";

const task = (number: number, also: Partial<Delegated> = {}): Delegated => ({
  number,
  session: asId<"ses">(`ses_task00000${number}`),
  parent: call.session,
  goal: `count the owls\u0007 of ${number}`,
  runtime: "loop",
  startedAt: 0,
  calls: number,
  tokens: 1200,
  now: "read_file src/a.ts",
  ...also,
});

const other = asId<"ses">("ses_other000001");
const live = [task(2), task(3, { runtime: "codex", calls: 1 }), task(7, { parent: other })];
const busy = () =>
  fakeHost({
    over: {
      "tasks.list": async ({ session }) =>
        live.filter((one) => session === undefined || one.parent === session),
    },
  });

describe("/agents", () => {
  test("shows each session with its tasks below it, and nothing that steers the screen", async () => {
    assert.deepEqual((await say("/agents", busy())).text.split("\n"), [
      call.session,
      "  2  loop   2 calls  1,200 tokens  count the owls\uFFFD of 2  read_file src/a.ts",
      "  3  codex  1 call   1,200 tokens  count the owls\uFFFD of 3  read_file src/a.ts",
      other,
      "  7  loop  7 calls  1,200 tokens  count the owls\uFFFD of 7  read_file src/a.ts",
    ]);
    assert.equal((await say("/agents")).text, "No delegated task is running.");
  });

  test("stops one by its number, or all", async () => {
    const host = busy();
    assert.equal((await say("/agents stop 3", host)).text, "Stopped 3: count the owls\uFFFD of 3");
    assert.deepEqual(host.calls, ['turns.stop {"session":"ses_task000003"}']);
    assert.match((await say("/agents stop all", host)).text, /^Stopped 2: .*\nStopped 3: .*\nStopped 7: /);
    assert.equal(host.calls.length, 4);
  });

  test("stops nothing that it was not told clearly", async () => {
    const host = busy();
    assert.equal((await say("/agents stop 1", host)).text, "There is no task 1. There are: 2, 3, 7.");
    for (const line of ["/agents stop", "/agents 2", "/agents stop 2 3"])
      assert.equal((await say(line, host)).text, "/agents takes nothing, stop and a number, or stop all.");
    assert.equal((await say("/agents stop all")).text, "No delegated task is running.");
    assert.deepEqual(host.calls, []);
  });

  test("a guest sees and stops only what the own session has handed on", async () => {
    const host = busy();
    const guest = { ...call, by: aGuest };
    assert.doesNotMatch((await say("/agents", host, guest)).text, /ses_other/);
    assert.match((await say("/agents stop 7", host, guest)).text, /^There is no task 7\./);
    assert.deepEqual(host.calls, []);
  });
});
