import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { asId } from "../../core/ids.ts";
import { leftBehind, terminalWorld } from "./terminal-world.suite.ts";

after(async () => assert.deepEqual(await leftBehind(), [], "no process is left"));

describe("background processes", { concurrency: 4 }, () => {
  test("of a session are not seen or touched by another one", async () => {
    await using world = await terminalWorld("none");
    await world.run({ command: "sleep 641", background: true });
    const other = { session: asId<"ses">("ses_0000000002") };
    assert.equal(
      (await world.tell({ action: "list" }, other)).output,
      "No background process in this session.",
    );
    for (const action of ["poll", "kill", "input"]) {
      const result = await world.tell({ action, id: "p1", text: "x" }, other);
      assert.deepEqual(result, {
        ok: false,
        output: 'There is no process "p1" in this session. There is none.',
      });
    }
    assert.match((await world.tell({ action: "poll" })).output, /^Say which process.* There are: p1\.$/);
  });

  test("are listed for the person while they run, and ended by them", async () => {
    await using world = await terminalWorld("none");
    const { session } = world.context;
    for (const command of ["sleep 642", "sleep 643"]) await world.run({ command, background: true });
    const listed = (): readonly string[] => world.running(session).map(({ command }) => command);
    assert.deepEqual(listed(), ["sleep 642", "sleep 643"]);
    assert.deepEqual(world.running(asId<"ses">("ses_0000000002")), []);
    await world.endRunning(session, "p1");
    assert.deepEqual(listed(), ["sleep 643"]);
    assert.equal((await world.endRunning(session)).length, 1);
    assert.deepEqual(listed(), []);
  });

  test("that end at once are told as ended", async () => {
    await using world = await terminalWorld("none", { clock: fakeClock() });
    const result = await world.run({ command: "echo oops; exit 4", background: true });
    assert.deepEqual(result, { ok: false, output: "oops\n", exitCode: 4 });
  });

  test("are ended by kill, with all they started, and their last output is told", async () => {
    await using world = await terminalWorld("none");
    await world.run({ command: "sleep 651 & echo said; sleep 652", background: true });
    const { output } = await world.tell({ action: "kill", id: "p1" });
    assert.match(output, /^\[p1 was ended by SIGTERM\]/);
    assert.deepEqual(await leftBehind(/sleep 65[12]/), []);
    assert.equal(world.registered.size, 0);
  });

  test("are at most eight in a session, whoever starts them at the same time", async () => {
    await using world = await terminalWorld("none");
    const start = () => world.run({ command: "sleep 661", background: true });
    const started = await Promise.all(Array.from({ length: 10 }, start));
    assert.equal(started.filter(({ ok }) => ok).length, 8);
    assert.match(started.find(({ ok }) => !ok)?.output ?? "", /^Not started: 8 background processes/);
    await world.tell({ action: "kill", id: "p1" });
    assert.equal((await start()).ok, true);
  });

  test("outlive the turn that started them, and end when all is closed", async () => {
    await using world = await terminalWorld("none");
    const turn = new AbortController();
    await world.box.call("terminal", { command: "trap '' TERM; sleep 671", background: true }, turn.signal);
    turn.abort(new Error("the turn is over"));
    assert.match((await world.tell({ action: "poll", id: "p1" })).output, /^\[p1 has been running/);
    assert.equal(world.registered.size, 1);
    await world.close();
    assert.equal(world.registered.size, 0);
    assert.match((await world.run({ command: "sleep 672", background: true })).output, /being closed/);
  });

  test("keep a bounded part of what they write between two polls", async () => {
    await using world = await terminalWorld("none");
    const command = "read go; seq 1 1000000; exec sleep 681";
    await world.run({ command, background: true });
    await world.tell({ action: "input", id: "p1", text: "go\n" });
    const polls: string[] = [];
    while (!polls.at(-1)?.endsWith("\n1000000"))
      polls.push((await world.tell({ action: "poll", id: "p1" })).output);
    assert.ok(polls.every((output) => output.length < 37_000));
  });
});

describe("what process asks", () => {
  test("is nothing to look and to end, and the text as a command to type", async () => {
    await using world = await terminalWorld("none");
    await world.run({ command: "bash", background: true });
    const asks = (args: Record<string, unknown>) => world.process.asks!(args, world.context);
    for (const args of [{ action: "list" }, { action: "poll", id: "p1" }, { action: "kill", id: "p1" }])
      assert.partialDeepStrictEqual(await asks(args), { effect: "none", action: { kind: "tool" } });
    assert.partialDeepStrictEqual(await asks({ action: "input", id: "p1", text: "rm -rf x\n" }), {
      effect: "local",
      action: { kind: "command", command: "rm -rf x\n", fence: "none" },
      cwd: world.at.folder,
    });
  });
});
